import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { createFolder, failure, load, writeFiles } from "./folder.ts";

const portOf = async (...args: Parameters<typeof load>): Promise<number> =>
  (await load(...args)).config.server.port;

describe("discovery", () => {
  it("goes upward to the root of the repository and takes the nearest", async () => {
    const folder = createFolder({
      "platform.config.json": '{ "server": { "port": 1 } }',
      "repo/.git": "gitdir: elsewhere",
      "repo/platform.config.json": '{ "server": { "port": 2 } }',
      "repo/a/platform.config.json": '{ "server": { "port": 3 } }',
      "repo/a/b/": "",
      "repo/c/d/": "",
      "bare/.git/": "",
    });
    expect(await portOf(join(folder, "repo/a/b"))).toBe(3);
    expect(await portOf(join(folder, "repo/c/d"))).toBe(2);
    expect((await load(join(folder, "bare"))).file).toBeNull();
  });

  it("looks only at the folder itself outside a repository", async () => {
    const folder = createFolder({ "platform.config.json": "{}", "below/": "" });
    expect((await load(folder)).file).toBe(join(folder, "platform.config.json"));
    expect((await load(join(folder, "below"))).file).toBeNull();
  });

  it("prefers the flag to the variable to what lies around", async () => {
    const folder = createFolder({
      "platform.config.json": '{ "server": { "port": 1 } }',
      "other/a.json": '{ "server": { "port": 2 } }',
      "other/b.json": '{ "server": { "port": 3 } }',
    });
    const env = { PLATFORM_CONFIG: "other/a.json" };
    expect(await portOf(folder, { env })).toBe(2);
    expect(await portOf(folder, { env, configFile: "other/b.json" })).toBe(3);
    expect(await portOf(folder, { env: { PLATFORM_CONFIG: "" } })).toBe(1);
  });

  it("takes the first by extension and says that the others are ignored", async () => {
    const folder = createFolder({
      "platform.config.json": '{ "server": { "port": 1 } }',
      "platform.config.mjs": "export default { server: { port: 2 } };",
    });
    const { config, warnings } = await load(folder);
    expect(config.server.port).toBe(2);
    expect(warnings).toEqual([
      "platform.config.json is ignored because platform.config.mjs exists in the same folder.",
    ]);
  });
});

describe(".env", () => {
  it("can begin with a byte order mark, as editors of Windows write it, and have their line ends", async () => {
    const folder = createFolder({ ".env": "\uFEFFPLATFORM_PORT=4000\r\nPLATFORM_HOST=::1\r\n" });
    const { config, warnings } = await load(folder);
    expect(config.server).toMatchObject({ port: 4000, host: "::1" });
    expect(warnings).toEqual([]);
  });
});

describe("kinds of file, in a folder that has no node_modules", () => {
  const typed = `import { defineConfig, secret, type UserConfig } from "storefront-platform/config";
    const port: number = 7;
    const config: UserConfig = { server: { port }, admin: { token: secret("TOKEN") } };
    export default defineConfig(config);`;
  const plain = `import { defineConfig, secret } from "storefront-platform/config";
    export default defineConfig({ server: { port: 7 }, admin: { token: secret("TOKEN") } });`;
  const json =
    '{ "$schema": "./schema.json", "server": { "port": 7 }, "admin": { "token": { "$secret": "TOKEN" } } }';

  it.each([
    ["platform.config.ts", typed],
    ["platform.config.mts", typed],
    ["platform.config.mjs", plain],
    ["platform.config.js", plain],
    ["platform.config.json", json],
    ["platform.config.json", `\uFEFF${json}`],
  ])("%s", async (name, content) => {
    const folder = createFolder({ [name]: content });
    for (const dev of [false, true]) {
      const { config, file, warnings } = await load(folder, {
        dev,
        env: { TOKEN: "a-token-of-24-characters" },
      });
      expect(file).toBe(join(folder, name));
      expect(config.server.port).toBe(7);
      expect(config.admin.token).toBe("a-token-of-24-characters");
      expect(warnings).toEqual([]);
    }
  });

  it("may import other files, and may be a function", async () => {
    const folder = createFolder({
      "platform.config.ts":
        'import { port } from "./port.ts"; export default async () => ({ server: { port } });',
      "port.ts": "export const port: number = 9;",
    });
    expect(await portOf(folder)).toBe(9);
  });

  it("leaves no transpiled copy in the folder for temporary files", async () => {
    const temporary = createFolder();
    const before = process.env.TMPDIR;
    const folder = createFolder({
      "platform.config.ts": "export default { server: { port: 1 as number } };",
    });
    process.env.TMPDIR = temporary;
    try {
      await load(folder, { dev: true });
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    expect(readdirSync(temporary, { recursive: true })).toEqual([]);
    expect(readdirSync(folder)).toEqual(["platform.config.ts"]);
  });
});

describe("a file that changes while the server runs", () => {
  const script = (port: number): string => `export default { server: { port: ${port} } };`;
  const importing = (port: number): string =>
    `import { defineConfig } from "storefront-platform/config"; export default defineConfig({ server: { port: ${port} } });`;

  it.each<[string, (port: number) => string]>([
    ["platform.config.ts", importing],
    ["platform.config.ts", script],
    ["platform.config.mjs", importing],
    ["platform.config.mjs", script],
    ["platform.config.mjs", (port) => `export default () => ({ server: { port: ${port} } });`],
    ["platform.config.js", script],
    ["platform.config.js", (port) => `module.exports = { server: { port: ${port} } };`],
    ["platform.config.json", (port) => `{ "server": { "port": ${port} } }`],
  ])("is read again in dev: %s, %s", async (name, content) => {
    const folder = createFolder({ [name]: content(1) });
    expect(await portOf(folder, { dev: true })).toBe(1);
    writeFileSync(join(folder, name), content(2));
    expect(await portOf(folder, { dev: true })).toBe(2);
  });

  it("is read again too when what it imports changes", async () => {
    const folder = createFolder({
      "platform.config.ts": 'import { port } from "./port.ts"; export default { server: { port } };',
      "port.ts": "export const port: number = 1;",
    });
    expect(await portOf(folder, { dev: true })).toBe(1);
    writeFiles(folder, { "port.ts": "export const port: number = 2;" });
    expect(await portOf(folder, { dev: true })).toBe(2);
  });
});

describe("members that begin with $", () => {
  it("of other tools are ignored with a warning, whatever NODE_ENV says", async () => {
    const folder = createFolder({
      "platform.config.mjs": `export default {
        server: { port: 1 },
        cors: { origins: ["https://a.example"] },
        $production: { server: { port: 2 }, cors: { origins: ["https://b.example"] } },
        $test: { server: { port: 3 } },
        $env: { staging: { server: { port: 4 } } },
      };`,
    });
    const before = process.env.NODE_ENV;
    try {
      for (const mode of ["production", "test", "staging"]) {
        process.env.NODE_ENV = mode;
        const { config, warnings } = await load(folder, { env: { NODE_ENV: mode } });
        expect(config.server.port).toBe(1);
        expect(config.cors.origins).toEqual(["https://a.example"]);
        expect(Object.keys(config).filter((key) => key.startsWith("$"))).toEqual([]);
        expect(warnings).toEqual(
          ["$production", "$test", "$env"].map(
            (key) =>
              `platform.config.mjs: ${key} is ignored. Set values that differ between machines with PLATFORM_… variables.`,
          ),
        );
      }
    } finally {
      process.env.NODE_ENV = before;
    }
  });
});

describe("a file that gives no configuration", () => {
  const problem = async (...args: Parameters<typeof load>): Promise<string> =>
    (await failure(load(...args))).format();

  it.each([
    [
      "platform.config.ts",
      "export default {\n  server: { port: 3 ;\n};\n",
      '✖ platform.config.ts: 1 problem\n  (file)   syntax error: Unexpected token, expected ","   platform.config.ts:2',
    ],
    [
      "platform.config.mjs",
      "export default {\n  server: { port: 3 ;\n};\n",
      '✖ platform.config.mjs: 1 problem\n  (file)   syntax error: Unexpected token, expected ","   platform.config.mjs:2',
    ],
    [
      "platform.config.ts",
      'const limit: number = 1;\n\nif (limit === 1) throw new Error("boom\\nand more");\nexport default {};\n',
      "✖ platform.config.ts: 1 problem\n  (file)   throws when loaded: boom   platform.config.ts:3",
    ],
    [
      "platform.config.ts",
      'export default (() => { throw "just text"; })();\n',
      "✖ platform.config.ts: 1 problem\n  (file)   throws when loaded: just text   platform.config.ts",
    ],
    [
      "platform.config.ts",
      '\nimport { a } from "./missing.ts";\nexport default a;\n',
      "✖ platform.config.ts: 1 problem\n  (file)   throws when loaded: Cannot find module './missing.ts'   platform.config.ts:2",
    ],
    [
      "platform.config.json",
      '{\n  "server": { "port": 3 },\n}\n',
      "✖ platform.config.json: 1 problem\n  (file)   is not valid JSON: Expected double-quoted property name   platform.config.json:3",
    ],
    [
      "platform.config.json",
      "[]",
      "✖ platform.config.json: 1 problem\n  (file)   must export an object, received a list   platform.config.json",
    ],
    [
      "platform.config.ts",
      'export default "fs";',
      "✖ platform.config.ts: 1 problem\n  (file)   must export an object, received string   platform.config.ts",
    ],
    [
      "platform.config.ts",
      "export default null;",
      "✖ platform.config.ts: 1 problem\n  (file)   must export an object, received null or undefined   platform.config.ts",
    ],
    [
      "platform.config.json",
      "null",
      "✖ platform.config.json: 1 problem\n  (file)   must export an object, received null   platform.config.json",
    ],
  ])("%s: %j", async (name, content, text) => {
    expect(await problem(createFolder({ [name]: content }))).toBe(text);
  });

  it("is absent", async () => {
    const folder = createFolder({ "platform.config.json": "{}" });
    expect(await problem(folder, { configFile: "other.json" })).toBe(
      "✖ other.json: 1 problem\n  (file)   no such file   flag --config",
    );
    expect(await problem(folder, { env: { PLATFORM_CONFIG: "/nowhere/other.ts" } })).toBe(
      "✖ /nowhere/other.ts: 1 problem\n  (file)   no such file   env PLATFORM_CONFIG",
    );
  });

  it("tells the line also when it was asked for", async () => {
    const script = createFolder({ "my.ts": "\n\nthrow new Error('boom');" });
    expect(await problem(script, { configFile: "my.ts" })).toBe(
      "✖ my.ts: 1 problem\n  (file)   throws when loaded: boom   my.ts:3",
    );
  });

  it("is a link to nowhere", async () => {
    const folder = createFolder();
    symlinkSync(join(folder, "gone.ts"), join(folder, "platform.config.ts"));
    expect(await problem(folder)).toBe(
      "✖ platform.config.ts: 1 problem\n  (file)   no such file   platform.config.ts",
    );
  });

  it("cannot be read", async () => {
    expect(await problem(createFolder({ "platform.config.ts/": "" }))).toBe(
      "✖ platform.config.ts: 1 problem\n  (file)   cannot be read (EISDIR)   platform.config.ts",
    );
  });

  it("is named in full when it lies above the working folder", async () => {
    const folder = createFolder({ ".git/": "", "platform.config.json": "{", "below/": "" });
    expect((await failure(load(join(folder, "below")))).subject).toBe(join(folder, "platform.config.json"));
  });
});

describe(".env files", () => {
  it("that cannot be read are an error", async () => {
    const folder = createFolder({ ".env/": "" });
    expect((await failure(load(folder))).format()).toBe(
      "✖ .env: 1 problem\n  (file)   cannot be read (EISDIR)   .env",
    );
  });

  it("keep a dollar sign as it is", async () => {
    const folder = createFolder({ "platform.config.json": "{}" });
    writeFiles(folder, { ".env": "PLATFORM_SMTP_HOST=mail\nPLATFORM_SMTP_PASS='pa$$HOME'\n" });
    expect((await load(folder, { dev: true })).config.mail.smtp?.pass).toBe("pa$$HOME");
  });
});
