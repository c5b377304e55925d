import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

import { showConfig } from "../../server/config/show.ts";
import { createFolder, failure, folderWith, load } from "./folder.ts";

const PASS = "correct horse";
const smtp = { host: "mail.example", user: "api", pass: { $secret: "SMTP_PASS" } };

describe("secret(NAME)", () => {
  it("is the variable", async () => {
    const { config, origins } = await load(folderWith({ mail: { smtp } }), { env: { SMTP_PASS: PASS } });
    expect(config.mail.smtp?.pass).toBe(PASS);
    expect(origins["mail.smtp.pass"]).toBe("platform.config.json, env SMTP_PASS");
  });

  it("is the content of the file, without the line break at its end", async () => {
    const folder = folderWith({ mail: { smtp } }, { "run/pass": ` ${PASS} \r\n` });
    const { config, origins } = await load(folder, { env: { SMTP_PASS_FILE: `${folder}/run/pass` } });
    expect(config.mail.smtp?.pass).toBe(` ${PASS} `);
    expect(origins["mail.smtp.pass"]).toBe(`platform.config.json, env SMTP_PASS_FILE (${folder}/run/pass)`);
  });

  it("comes from .env, with a file named relative to it", async () => {
    const folder = folderWith(
      { mail: { smtp } },
      { ".env": "SMTP_PASS_FILE=pass.txt\n", "pass.txt": `${PASS}\n` },
    );
    const { config, origins } = await load(folder);
    expect(config.mail.smtp?.pass).toBe(PASS);
    expect(origins["mail.smtp.pass"]).toBe(`platform.config.json, .env SMTP_PASS_FILE (${folder}/pass.txt)`);
  });

  it("is taken from the environment before .env", async () => {
    const folder = folderWith(
      { mail: { smtp } },
      { ".env": "SMTP_PASS=old\n", ".env.local": "SMTP_PASS_FILE=gone\n" },
    );
    expect((await load(folder, { dev: true, env: { SMTP_PASS: PASS } })).config.mail.smtp?.pass).toBe(PASS);
  });

  it("may stand for any text", async () => {
    const folder = folderWith({ baseUrl: { $secret: "PUBLIC_URL" } });
    expect((await load(folder, { env: { PUBLIC_URL: "https://a.example" } })).config.baseUrl).toBe(
      "https://a.example",
    );
  });
});

describe("a secret setting from the environment", () => {
  it("may come as a variable or as a file", async () => {
    const folder = createFolder({ token: "a-token-of-24-characters\n" });
    const direct = await load(folder, { env: { PLATFORM_ADMIN_TOKEN: "a-token-of-24-characters" } });
    const byFile = await load(folder, { env: { PLATFORM_ADMIN_TOKEN_FILE: "token" } });
    expect([direct.config.admin.token, byFile.config.admin.token]).toEqual(
      Array(2).fill("a-token-of-24-characters"),
    );
    expect(direct.origins["admin.token"]).toBe("env PLATFORM_ADMIN_TOKEN");
    expect(byFile.origins["admin.token"]).toBe(`env PLATFORM_ADMIN_TOKEN_FILE (${folder}/token)`);
    expect(byFile.warnings).toEqual([]);
  });

  it("keeps the blanks that belong to it", async () => {
    const env = { PLATFORM_SMTP_HOST: " mail.example ", PLATFORM_SMTP_PASS: " x " };
    expect((await load(createFolder(), { env })).config.mail.smtp).toMatchObject({
      host: "mail.example",
      pass: " x ",
    });
  });
});

describe("a secret that cannot be had", () => {
  const row = async (...args: Parameters<typeof load>): Promise<string> =>
    (await failure(load(...args))).format().split("\n").slice(1).join("\n").trim();

  it("is not set", async () => {
    const rest =
      "Set SMTP_PASS, or set SMTP_PASS_FILE to the path of a file that contains it   platform.config.json";
    const folder = folderWith({ mail: { smtp } });
    expect(await row(folder)).toBe(`mail.smtp.pass   secret SMTP_PASS is not set. ${rest}`);
    expect(await row(folder, { env: { SMTP_PASS: "" } })).toBe(
      `mail.smtp.pass   secret SMTP_PASS is not set. ${rest}`,
    );
  });

  it("is given twice", async () => {
    const env = { SMTP_PASS: PASS, SMTP_PASS_FILE: "/run/secrets/pass" };
    expect(await row(folderWith({ mail: { smtp } }), { env })).toBe(
      "mail.smtp.pass   set SMTP_PASS or SMTP_PASS_FILE, not both   platform.config.json",
    );
  });

  it("is in a file that is not there, or is empty", async () => {
    const folder = folderWith({ mail: { smtp } }, { empty: "\n" });
    expect(await row(folder, { env: { SMTP_PASS_FILE: "/nowhere/pass" } })).toBe(
      "mail.smtp.pass   secret file /nowhere/pass cannot be read (ENOENT)   platform.config.json",
    );
    expect(await row(folder, { env: { SMTP_PASS_FILE: "empty" } })).toBe(
      `mail.smtp.pass   secret file ${folder}/empty is empty   platform.config.json`,
    );
  });

  it("is told once, together with the other problems", async () => {
    const folder = folderWith({
      mail: { transport: "smtp", smtp: { url: { $secret: "SMTP_URL" } } },
      admin: { token: { $secret: "TOKEN" } },
      server: { port: -1 },
    });
    expect((await failure(load(folder))).problems.map(({ path }) => path)).toEqual([
      "mail.smtp.url",
      "admin.token",
      "server.port",
    ]);
  });
});

describe("a token of a header", () => {
  it("is refused where no client could send it", async () => {
    for (const token of [
      "a token with spaces in it, of 24",
      "a-tökén-of-twenty-four-letters",
      "x".repeat(201),
    ]) {
      const env = { PLATFORM_ADMIN_TOKEN: token, PLATFORM_METRICS_TOKEN: token };
      const { problems } = await failure(load(createFolder(), { env }));
      expect(problems.map(({ path }) => path)).toEqual(["observability.metricsToken", "admin.token"]);
    }
    const env = { PLATFORM_ADMIN_TOKEN: "k7!vX$2#pQ9&mL4*rT8@wZ1%" };
    expect((await load(createFolder(), { env })).config.admin.token).toBe(env.PLATFORM_ADMIN_TOKEN);
  });
});

describe("a secret is never printed", () => {
  it("in a problem with itself", async () => {
    const env = { PLATFORM_ADMIN_TOKEN: "too-short", PLATFORM_SMTP_URL: "http://api:hunter2@mail.example" };
    const error = await failure(load(createFolder(), { env }));
    expect(error.format()).toBe(
      [
        "✖ configuration: 2 problems",
        "  mail.smtp.url   expected a URL such as smtp://user:pass@host:587, received ***   env PLATFORM_SMTP_URL",
        "  admin.token     expected at least 24 characters, received ***                    env PLATFORM_ADMIN_TOKEN",
      ].join("\n"),
    );
    expect(inspect(error, { depth: 9 })).not.toMatch(/too-short|hunter2/);
  });

  it.each([
    ["in place of its group", { mail: { smtp: "smtp://api:hunter2@mail.example" } }],
    ["in place of the whole mail", { mail: "smtp://api:hunter2@mail.example" }],
    ["under a wrong name", { mail: { smtp: { host: "m", passwrod: "hunter2" } } }],
    ["as another type", { mail: { smtp: { host: "m", pass: ["hunter2"] } } }],
    ["in a place that wants a choice", { mail: { transport: { $secret: "HUNTER" } } }],
    ["in a place that wants a number", { server: { port: { $secret: "HUNTER" } } }],
  ])("%s", async (_title, config) => {
    const error = await failure(load(folderWith(config), { env: { HUNTER: "hunter2" } }));
    expect(error.format()).not.toContain("hunter2");
    expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
  });

  it("by config show, wherever it came from", async () => {
    const folder = folderWith({
      baseUrl: { $secret: "PUBLIC_URL" },
      mail: { smtp: { url: "smtp://api:hunter2@mail.example" } },
    });
    const env = {
      PUBLIC_URL: "https://secret-place.example",
      PLATFORM_ADMIN_TOKEN: "hunter2-hunter2-hunter2-hunter2",
    };
    const loaded = await load(folder, { env });
    expect(loaded.secrets).toEqual(["baseUrl", "mail.smtp.url", "admin.token"]);
    const rows = showConfig(loaded, { origin: true });
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|secret-place/);
    expect(rows.filter(({ value }) => value === "***")).toEqual([
      { path: "baseUrl", value: "***", origin: "platform.config.json, env PUBLIC_URL" },
      { path: "mail.smtp.url", value: "***", origin: "platform.config.json" },
      { path: "admin.token", value: "***", origin: "env PLATFORM_ADMIN_TOKEN" },
    ]);
  });
});

describe("a secret written into the file", () => {
  it.each([
    [
      { host: "m", pass: "hunter2" },
      [
        'platform.config.json: mail.smtp.pass contains a secret. Use secret("NAME") and set the variable NAME.',
      ],
    ],
    [
      { url: "smtp://a:b@m" },
      [
        'platform.config.json: mail.smtp.url contains a secret. Use secret("NAME") and set the variable NAME.',
      ],
    ],
    [{ url: "smtp://127.0.0.1:1025" }, []],
  ])("is a warning, unless it holds no password: %j", async (settings, warnings) => {
    expect((await load(folderWith({ mail: { smtp: settings } }))).warnings).toEqual(warnings);
  });
});
