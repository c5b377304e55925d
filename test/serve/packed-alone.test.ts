import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { dev, pack, post, ROOT, run, start } from "./packed.ts";
import type { Packed } from "./packed.ts";

/** May only become smaller. */
const PACKAGES_MAX = 190;
const MEGABYTES_MAX = 90;
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let packed: Packed;
let folder: string;
let env: NodeJS.ProcessEnv;
let tarball: string;
beforeAll(async () => {
  packed = await pack();
  ({ env, folder, tarball } = packed);
}, 120_000);

/** Of all packages in a folder, nested ones included. */
async function weigh(at: string): Promise<{ packages: number; megabytes: number }> {
  const entries = await readdir(join(at, "node_modules"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ name, parentPath }) => (await stat(join(parentPath, name))).size),
  );
  const isPackage = /node_modules\/(?:@[^/]+\/)?[^/@.][^/]*$/;
  return {
    packages: files.filter(({ name, parentPath }) => name === "package.json" && isPackage.test(parentPath))
      .length,
    megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1_000_000,
  };
}

/** Runs the command of the package; its exit code, and both of its outputs together. */
async function platform(bin: string, args: readonly string[], also: NodeJS.ProcessEnv = {}) {
  const options = { cwd: folder, env: { ...env, ...also }, timeout: 60_000 };
  return run(bin, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: unknown) => {
      const { code, stderr, stdout } = Object(error);
      return { code, text: String(stdout) + String(stderr) };
    },
  );
}

/** What a person does first, on a server that the demo data fill. */
async function signUp(url: string): Promise<number> {
  await post(`${url}/api/platform/signup`, "", { email: "ada@example.test", storeIdentifier: "ada-shop" });
  const inbox = await (await fetch(`${url}/_/inbox`)).text();
  const mail = await (await fetch(url + /href="(\/_\/inbox\/mail_\w+)"/.exec(inbox)?.[1])).text();
  const verified = await fetch(/https?:\/\/\S+verify\?token=[\w-]+/.exec(mail)?.[0] ?? "");
  const headers = { authorization: `Bearer ${JSON.parse(await verified.text()).api_key}` };
  return (await fetch(`${url}/v1/account`, { headers })).status;
}

describe("the packed package alone, in an empty folder", () => {
  const bin = () => join(folder, "node_modules", ".bin", "platform");
  it("brings few packages", async () => {
    const args = ["install", "--omit=dev", "--no-audit", "--no-fund", "--silent", tarball];
    await run("npm", args, { cwd: folder, env });
    const { megabytes, packages } = await weigh(folder);
    expect(packages).toBeLessThanOrEqual(PACKAGES_MAX);
    expect(megabytes).toBeLessThanOrEqual(MEGABYTES_MAX);
  }, 300_000);

  it.each([
    ["observability.metrics", { PLATFORM_METRICS: "1" }, "npm i @opentelemetry/api@1 @opentelemetry/resou"],
    ["observability.tracesUrl", { PLATFORM_TRACES_URL: "http://127.0.0.1:4318" }, "npm i @opentelemetry/"],
    [
      "ai.provider",
      {
        PLATFORM_AI_PROVIDER: "openai-compatible",
        PLATFORM_AI_URL: "http://127.0.0.1:1",
        PLATFORM_AI_MODEL: "m",
      },
      "npm i ai@6 @ai-sdk/openai-compatible@2",
    ],
  ])(
    "refuses to start with %s, and says what to install",
    async (path, settings, install) => {
      for (const command of ["dev", "serve"]) {
        const { code, text } = await platform(bin(), [command], settings);
        expect([command, code, text]).toEqual([
          command,
          2,
          expect.stringMatching(`${path} +Not installed: `),
        ]);
        expect(text).toContain(install);
      }
    },
    60_000,
  );

  it("says before a request that --jq needs a package", async () => {
    const { code, text } = await platform(bin(), [
      "call",
      "/v1/menus",
      "--url",
      "http://127.0.0.1:1",
      "--jq",
      ".",
    ]);
    expect([code, text]).toEqual([2, expect.stringContaining('Run "npm i jq-web@0.6"')]);
  }, 60_000);

  it("refuses pictures, and lists in doctor what is missing", async () => {
    const { key, url } = await dev(packed);
    const forms = await fetch(`${url}/v1/forms`, { headers: { authorization: `Bearer ${key}` } });
    const [form, field] = JSON.parse(await forms.text()).data.flatMap(
      ({ id, fields }: { id: string; fields: { key: string; type: string }[] }) =>
        fields.filter(({ type }) => type === "file").map((one) => [id, one.key]),
    )[0];
    const file = { name: "loaf.png", content: PNG };
    const picture = await post(`${url}/v1/forms/${form}/uploads`, key, { field, file });
    expect([picture.status, picture.json.error.detail]).toEqual([
      503,
      'Not installed: sharp (for pictures in reviews and forms). Run "npm i sharp@0.35".',
    ]);
    const { data } = JSON.parse((await run(bin(), ["doctor", "--json"], { cwd: folder, env })).stdout);
    const found = data.checks.filter(({ id }: { id: string }) => id.startsWith("packages."));
    expect(found.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ["packages.filters", "ok"],
      ["packages.pictures", "warn"],
      ["packages.texts", "ok"],
      ["packages.metrics", "ok"],
      ["packages.traces", "ok"],
      ["packages.layouts", "ok"],
    ]);
    expect(found[1].fix).toBe("npm i sharp@0.35");
  }, 120_000);

  it("installs as a global command", async () => {
    const prefix = join(folder, ".global");
    await run("npm", ["install", "-g", "--prefix", prefix, "--silent", "--no-audit", "--no-fund", tarball], {
      cwd: folder,
      env,
    });
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const global = join(prefix, "bin", "platform");
    expect((await platform(global, ["--version"])).text).toContain(version);
    const filtered = await platform(global, ["config", "show", "--jq", "."]);
    expect(filtered.text).toContain('Run "npm i -g jq-web@0.6"');
  }, 300_000);

  it("serves, signs up and answers on Node 24", async () => {
    const name = `node-${process.platform}-${process.arch}`;
    const to = join(folder, ".node24");
    await mkdir(to);
    await run("npm", ["install", "--prefix", to, "--silent", "--no-audit", "--no-fund", `${name}@24`], {
      cwd: to,
      env,
    });
    const node = join(to, "node_modules", name, "bin", "node");
    expect((await run(node, ["--version"])).stdout).toMatch(/^v24\./);
    const script = join(folder, "node_modules/storefront-platform/dist/bin/platform.js");
    const [, url = ""] = await start(
      packed,
      [node, script, "dev"],
      /Docs +(http\S+)\/docs[\s\S]*Key +plat_live_/,
    );
    expect(await signUp(url)).toBe(200);
    const called = await platform(node, [script, "call", "/v1/delivery/zones", "--json"]);
    expect([called.code, JSON.parse(called.text).data.length > 0]).toEqual([0, true]);
  }, 300_000);
});
