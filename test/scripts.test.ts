import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";

import { describe, expect, it } from "vitest";

import { alone, sizes, systems } from "./vitest.config.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("the test commands", () => {
  it("are documented in the README and run by CI", () => {
    const readme = read("README.md");
    const gate = read(".ci/run").split("\n");
    for (const command of ["npm test", "npm run test:systems"]) {
      expect(readme).toContain(command);
      expect(gate).toContain(command);
    }
  });

  it("run all projects, and every pattern of those that npm test leaves out matches files", () => {
    const { scripts } = JSON.parse(read("package.json"));
    expect(scripts["test"]).toMatch(/--project service$/);
    expect(scripts["test:systems"]).toMatch(/--project systems --project alone --project sizes$/);
    const files = readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" });
    const unmatched = [...systems, ...alone, ...sizes]
      .flatMap(alternatives)
      .filter((pattern) => !files.some((file) => matchesGlob(`test/${file}`, pattern)));
    expect(unmatched).toEqual([]);
  });
});

describe("the bundle", () => {
  it("has one byte a character in memory, and no comments of types", () => {
    const folder = mkdtempSync(join(tmpdir(), "bundle-"));
    const entry = "server/engines/answeros/rules/evidence-checks";
    const root = new URL("..", import.meta.url).pathname;
    execFileSync(process.execPath, [join(root, "server/bundle.mjs"), folder, entry], { stdio: "pipe" });
    const built = readFileSync(join(folder, `${entry}.js`), "utf8");
    expect(read(`${entry}.ts`)).toMatch(/[^\0-\u00ff]/);
    expect(built).not.toMatch(/[^\0-\u00ff]/);
    expect(built).toContain("[£$\\u20ac¥]");
    expect(built).not.toContain("/**");
    rmSync(folder, { recursive: true });
  });

  it("loads node:http without undici, which Node 22.5 loads with its module", () => {
    const folder = mkdtempSync(join(tmpdir(), "bundle-"));
    const entry = "server/outgoing/post";
    const root = new URL("..", import.meta.url).pathname;
    execFileSync(process.execPath, [join(root, "server/bundle.mjs"), folder, entry], { stdio: "pipe" });
    const built = readFileSync(join(folder, `${entry}.js`), "utf8");
    expect(built).toContain('from "node:https"');
    expect(built).not.toContain('from "node:http"');
    expect(built).toMatch(/^const \{ request \} = process\.getBuiltinModule\("node:http"\);$/m);
    rmSync(folder, { recursive: true });
  });

  it("loads nothing of the server into a thread for texts", () => {
    const folder = mkdtempSync(join(tmpdir(), "bundle-"));
    const root = new URL("..", import.meta.url).pathname;
    const argv = [join(root, "server/bundle.mjs"), folder, "server/worker", "server/platform"];
    execFileSync(process.execPath, argv, { stdio: "pipe" });
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const code = readFileSync(join(folder, file), "utf8");
      for (const [, name = ""] of code.matchAll(/^(?:import|export)\b[^;]* ?"\.[^"]*\/([\w-]+\.js)"/gm))
        load(`chunks/${name}`);
    };
    load("server/worker.js");
    const late = readFileSync(join(folder, "server/worker.js"), "utf8").matchAll(
      /import\("\.\.\/([^"]+)"\)/g,
    );
    // A recalculation of tiers plans transactions, which takes much of the server.
    for (const [, file = ""] of late) if (!/plan-members|replay-tasks/.test(file)) load(file);
    expect(loaded.size).toBeGreaterThan(15);
    expect([...loaded].filter((file) => /\/(serve|app|services)-/.test(file))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it("is started for development with a small young generation", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const name of ["start", "dev"])
      expect(scripts[name]).toContain("node --max-semi-space-size=4 dist/");
  });
});

describe("before npm start", () => {
  /** A folder with the script, sources of 2020, and a build that writes like the real one, or is interrupted before its last file. */
  function prepare(canBuild = true) {
    const folder = mkdtempSync(join(tmpdir(), "prebuild é "));
    for (const name of ["bin", "cli", "server", "templates", "dist/server", "node_modules/rolldown"])
      mkdirSync(join(folder, name), { recursive: true });
    const put = (name: string, text = "{}") => {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), new Date("2020-01-01"), new Date("2020-01-01"));
    };
    put("server/prebuild.mjs", read("server/prebuild.mjs"));
    put("package.json");
    // In place of npm, which takes longer than all the rest.
    mkdirSync(join(folder, "fake"));
    const build = `#!/bin/sh\nprintf x >>built\n[ -n "$CUT" ] && exit 3\n: >dist/server/api.d.ts\n`;
    writeFileSync(join(folder, "fake/npm"), build, { mode: 0o755 });
    put("bin/platform.ts");
    put("dist/server/platform.js");
    if (canBuild) put("node_modules/rolldown/package.json", '{"name":"rolldown","main":"./index.js"}');
    if (canBuild) put("node_modules/rolldown/index.js");
    const path = `${join(folder, "fake")}:${process.env.PATH}`;
    const start = (env = {}) =>
      spawnSync(process.execPath, [join(folder, "server/prebuild.mjs")], {
        encoding: "utf8",
        env: { ...process.env, PATH: path, ...env },
      });
    const builds = () =>
      readdirSync(folder).includes("built") ? readFileSync(join(folder, "built"), "utf8").length : 0;
    return { put, start, builds, remove: () => rmSync(folder, { recursive: true }) };
  }

  it("builds where that was interrupted, and where sources are newer", () => {
    const { put, start, builds, remove } = prepare();
    const failed = start({ CUT: "1" });
    expect([failed.status, builds()]).toEqual([3, 1]);
    expect(failed.stderr).not.toContain("prebuild.mjs:");
    expect([start().status, builds()]).toEqual([0, 2]);
    expect([start().status, builds()]).toEqual([0, 2]);
    put("dist/server/api.d.ts", "");
    expect([start().status, builds()]).toEqual([0, 3]);
    remove();
  });

  it("says what to do without the packages that build", () => {
    const { start, builds, remove } = prepare(false);
    const { status, stderr } = start();
    expect([status, builds()]).toEqual([1, 0]);
    expect(stderr).toContain("npm ci");
    remove();
  });
});

describe("a release", () => {
  it("contains the files of others as NOTICE lists them", () => {
    const notice = read("NOTICE");
    const listed = [...notice.matchAll(/^ {2}((?:server|test)\/\S+)(?:\n {4}sha256:(\w+))?$/gm)];
    expect(listed.length).toBeGreaterThan(6);
    for (const [, path = "", sha256] of listed) {
      const content = readFileSync(new URL(`../${path}`, import.meta.url));
      if (sha256 !== undefined)
        expect([path, createHash("sha256").update(content).digest("hex")]).toEqual([path, sha256]);
    }
    const vendored = readdirSync(new URL("../server", import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((file) => /(?:^|\/)vendor\/[^/]+$/.test(file) && !file.endsWith("README.md"))
      .map((file) => `server/${file}`);
    expect(listed.flatMap(([, path, sha256]) => (sha256 === undefined ? [] : [path]))).toEqual(
      expect.arrayContaining(vendored),
    );
  });

  it("has a section of CHANGELOG.md with the heads of Keep a Changelog", () => {
    const heads = read("CHANGELOG.md")
      .split("\n")
      .filter((line) => line.startsWith("##"));
    const { version } = JSON.parse(read("package.json"));
    expect(heads.find((head) => head.startsWith(`## [${version}]`))).toMatch(/ - \d{4}-\d\d-\d\d$/);
    expect(heads[0]).toBe("## [Unreleased]");
    const known =
      /^(?:## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d|### (?:Added|Changed|Deprecated|Removed|Fixed|Security))$/;
    expect(heads.slice(1).filter((head) => !known.test(head))).toEqual([]);
  });

  it("has a bill of materials with every package that it installs", () => {
    const root = new URL("..", import.meta.url).pathname;
    const { components, metadata } = JSON.parse(
      execFileSync(process.execPath, ["server/sbom.mjs"], {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 2 ** 26,
      }),
    );
    const { name, version } = JSON.parse(read("package.json"));
    expect([metadata.component.name, metadata.component.version]).toEqual([name, version]);
    const purls = new Set(components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)));
    const { packages } = JSON.parse(read("package-lock.json"));
    const missing = Object.entries<{ dev?: boolean; devOptional?: boolean; link?: boolean; version: string }>(
      packages,
    )
      .filter(
        ([path, { dev, devOptional, link }]) =>
          path.startsWith("node_modules/") && !dev && !devOptional && !link,
      )
      .map(([path, one]) => `pkg:npm/${path.split("node_modules/").at(-1)}@${one.version}`)
      .filter((purl) => !purls.has(purl));
    expect(missing).toEqual([]);
  }, 60_000);
});

/** The two patterns of `a/{b,c}.ts`. */
function alternatives(pattern: string): string[] {
  const choice = /\{([^}]*)\}/.exec(pattern);
  if (choice === null) return [pattern];
  return String(choice[1])
    .split(",")
    .flatMap((name) => alternatives(pattern.replace(choice[0], name)));
}

describe("node test/figures.mjs", () => {
  it("prints each figure with its name, and the OpenAPI document stays loadable", () => {
    const script = new URL("figures.mjs", import.meta.url).pathname;
    const lines = execFileSync(process.execPath, [script], { encoding: "utf8" }).trimEnd().split("\n");
    const figures = new Map(lines.map((line) => [line.slice(11), Number(line.slice(0, 9))]));
    expect(figures.get("lines of the product")).toBeGreaterThan(figures.get("lines of engines") ?? 0);
    expect(figures.get("bytes of the served OpenAPI document")).toBeLessThan(DOCUMENT_BYTES_MAX);
  }, 180_000);
});

/** May only become smaller: equal parts are shared as components. */
const DOCUMENT_BYTES_MAX = 1_900_000;
