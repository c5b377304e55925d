import { describe, expect, it } from "vitest";

import type { Flag } from "../../server/config/sources.ts";
import { createFolder, failure, folderWith, load } from "./folder.ts";

/** What people read, without the headline. */
async function lines(
  config: unknown,
  env: Record<string, string> = {},
  flags: readonly Flag[] = [],
): Promise<string[]> {
  const text = (await failure(load(folderWith(config), { env, flags }))).format();
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replaceAll(/ {2,}/g, " · "));
}

const FILE = "platform.config.json";

describe("the report", () => {
  it("lists all problems in columns: path, message, origin", async () => {
    const folder = folderWith({ server: { hots: "::1" }, storage: { driver: "ff" } });
    const error = await failure(load(folder, { env: { PLATFORM_PORT: "3o00" } }));
    expect(error.message).toBe("platform.config.json: 3 problems");
    expect(error.format()).toBe(
      [
        "✖ platform.config.json: 3 problems",
        '  server.port      expected integer 0–65535, received "3o00"                                         env PLATFORM_PORT',
        '  server.hots      unknown setting. Did you mean "host"?                                             platform.config.json',
        '  storage.driver   "ff" is not one of fs, redis, s3, unstorage, custom, memory. Did you mean "fs"?   platform.config.json',
      ].join("\n"),
    );
    expect(error.problems).toEqual([
      {
        path: "server.port",
        message: 'expected integer 0–65535, received "3o00"',
        value: "3o00",
        origin: "env PLATFORM_PORT",
      },
      { path: "server.hots", message: "unknown setting", origin: FILE, suggestion: "host" },
      {
        path: "storage.driver",
        message: '"ff" is not one of fs, redis, s3, unstorage, custom, memory',
        value: "ff",
        origin: FILE,
        suggestion: "fs",
      },
    ]);
  });

  it("counts one problem as one, and names no file where there is none", async () => {
    const error = await failure(load(createFolder(), { env: { PORT: "http" } }));
    expect(error.format()).toBe(
      '✖ configuration: 1 problem\n  server.port   expected integer 0–65535, received "http"   env PORT',
    );
  });
});

describe("texts", () => {
  it.each<[string, unknown, string[]]>([
    // Names
    [
      "a key like another",
      { storge: { driver: "fs" } },
      [`storge · unknown setting. Did you mean "storage"? · ${FILE}`],
    ],
    [
      "a key in other case",
      { baseURL: "x" },
      [`baseURL · unknown setting. Did you mean "baseUrl"? · ${FILE}`],
    ],
    [
      "a key in the wrong place",
      { port: 3000 },
      [`port · unknown setting. Did you mean "server.port"? · ${FILE}`],
    ],
    [
      "a group in the wrong place",
      { smtp: { host: "m" } },
      [`smtp · unknown setting. Did you mean "mail.smtp"? · ${FILE}`],
    ],
    ["a key like nothing", { telemetry: true }, [`telemetry · unknown setting · ${FILE}`]],
    [
      "a key in a list",
      { plans: [{ id: "free", requestsPerMinutes: 1 }] },
      [
        `plans[0].requestsPerMinute · required, expected integer 1–1000000 · ${FILE}`,
        `plans[0].requestsPerMinutes · unknown setting. Did you mean "requestsPerMinute"? · ${FILE}`,
      ],
    ],
    [
      "a key of another driver",
      { storage: { driver: "memory", base: "./x" } },
      [`storage.base · not a setting of driver "memory" · ${FILE}`],
    ],
    [
      "a key that tampers with objects",
      JSON.parse('{ "__proto__": { "x": 1 }, "constructor": 1 }'),
      [`__proto__ · unknown setting · ${FILE}`, `constructor · unknown setting · ${FILE}`],
    ],
    // Choices
    [
      "a choice like another",
      { log: { level: "wran" } },
      [`log.level · "wran" is not one of silent, error, warn, info, debug. Did you mean "warn"? · ${FILE}`],
    ],
    [
      "a choice like none",
      { mail: { transport: "sendgrid" } },
      [`mail.transport · "sendgrid" is not one of dev, console, smtp, nodemailer · ${FILE}`],
    ],
    [
      "a choice of another type",
      { log: { format: true } },
      [`log.format · true is not one of json, pretty · ${FILE}`],
    ],
    [
      "a driver that does not exist",
      { storage: { driver: "tape" } },
      [`storage.driver · "tape" is not one of fs, redis, s3, unstorage, custom, memory · ${FILE}`],
    ],
    // Numbers
    [
      "too small",
      { server: { port: -1 } },
      [`server.port · expected integer 0–65535, received -1 · ${FILE}`],
    ],
    [
      "too large",
      { limits: { bodyBytes: 1e12 } },
      [`limits.bodyBytes · expected integer 1024–104857600, received 1000000000000 · ${FILE}`],
    ],
    [
      "not whole",
      { idempotencyTtlHours: 1.5 },
      [`idempotencyTtlHours · expected integer 1–720, received 1.5 · ${FILE}`],
    ],
    [
      "a number as text in a file",
      { server: { port: "3000" } },
      [`server.port · expected integer 0–65535, received "3000" · ${FILE}`],
    ],
    ["null", { server: { port: null } }, [`server.port · expected integer 0–65535, received null · ${FILE}`]],
    [
      "an object for a number",
      { server: { port: { a: 1 } } },
      [`server.port · expected integer 0–65535, received an object · ${FILE}`],
    ],
    [
      "number or null",
      { plans: [{ id: "free", requestsPerMinute: 1, stores: "unlimited" }] },
      [`plans[0].stores · expected integer 1–100000 or null, received "unlimited" · ${FILE}`],
    ],
    // Other types
    [
      "a text for a group",
      { server: "localhost:3000" },
      [`server · expected an object, received "localhost:3000" · ${FILE}`],
    ],
    ["a list for a group", { signup: [] }, [`signup · expected an object, received [] · ${FILE}`]],
    [
      "a text for a list",
      { cors: { origins: "https://a.example" } },
      [`cors.origins · expected a list, received "https://a.example" · ${FILE}`],
    ],
    [
      "a text for an object in a list",
      { plans: ["free"] },
      [`plans[0] · expected an object, received "free" · ${FILE}`],
    ],
    [
      "a text for a boolean",
      { mail: { smtp: { host: "m", secure: "yes" } } },
      [`mail.smtp.secure · expected true or false, received "yes" · ${FILE}`],
    ],
    [
      "https as a text",
      { server: { https: "on" } },
      [`server.https · expected true, false or { cert, key }, received "on" · ${FILE}`],
    ],
    [
      "https half",
      { server: { https: { cert: "c.pem" } } },
      [`server.https.key · required, expected a file path · ${FILE}`],
    ],
    [
      "https with an unknown setting",
      { server: { https: { cert: "c", key: "k", kay: "x" } } },
      [`server.https.kay · unknown setting. Did you mean "key"? · ${FILE}`],
    ],
    // Texts with a form
    [
      "base URL without scheme",
      { baseUrl: "api.shop.example" },
      [`baseUrl · expected a URL such as https://api.shop.example, received "api.shop.example" · ${FILE}`],
    ],
    [
      "base URL with a query",
      { baseUrl: "https://a.example?x=1" },
      [
        `baseUrl · expected a URL such as https://api.shop.example, received "https://a.example?x=1" · ${FILE}`,
      ],
    ],
    [
      "base URL with a password",
      { baseUrl: "https://me:hunter2@a.example" },
      [
        `baseUrl · expected a URL such as https://api.shop.example, received "https://***@a.example" · ${FILE}`,
      ],
    ],
    [
      "origin with a path",
      { cors: { origins: ["https://a.example", "https://b.example/"] } },
      [
        `cors.origins[1] · expected an origin such as https://shop.example, or "*", received "https://b.example/" · ${FILE}`,
      ],
    ],
    [
      "proxy",
      { server: { trustedProxies: ["10.0.0.0/33"] } },
      [
        `server.trustedProxies[0] · expected an IP address or a range such as 10.0.0.0/8, received "10.0.0.0/33" · ${FILE}`,
      ],
    ],
    [
      "sender",
      { mail: { from: "Shop\r\nBcc: x@y.example" } },
      [
        `mail.from · expected a mail address such as Shop API <no-reply@shop.example>, received "Shop\\r\\nBcc: x@y.example" · ${FILE}`,
      ],
    ],
    [
      "empty text",
      { storage: { driver: "fs", base: "" } },
      [`storage.base · expected a folder path, received "" · ${FILE}`],
    ],
    [
      "plan id",
      {
        plans: [
          { id: "free", requestsPerMinute: 1 },
          { id: "Gold!", requestsPerMinute: 1 },
        ],
      },
      [`plans[1].id · expected lower-case letters, digits and hyphens, received "Gold!" · ${FILE}`],
    ],
    [
      "a long value is cut",
      { baseUrl: "x".repeat(200) },
      [`baseUrl · expected a URL such as https://api.shop.example, received "${"x".repeat(78)}… · ${FILE}`],
    ],
    [
      "control characters do not reach the terminal",
      { baseUrl: "\u009b31m\u202e" },
      [`baseUrl · expected a URL such as https://api.shop.example, received "�31m�" · ${FILE}`],
    ],
    // Settings that do not go together
    [
      "no free plan",
      { plans: [{ id: "gold", requestsPerMinute: 1 }] },
      [`plans · no plan has the id "free" · ${FILE}`],
    ],
    ["no plan", { plans: [] }, [`plans · no plan has the id "free" · ${FILE}`]],
    [
      "two plans with one id",
      {
        plans: [
          { id: "free", requestsPerMinute: 1 },
          { id: "free", requestsPerMinute: 2 },
        ],
      },
      [`plans[1].id · duplicate plan id "free" · ${FILE}`],
    ],
    [
      "free that costs",
      { plans: [{ id: "free", requestsPerMinute: 1, paid: true }] },
      [`plans[0].paid · must be false for "free" · ${FILE}`],
    ],
    [
      "smtp without a server",
      { mail: { transport: "smtp" } },
      [
        `mail.transport · "smtp" needs mail.smtp.url (PLATFORM_SMTP_URL) or mail.smtp.host (PLATFORM_SMTP_HOST) · ${FILE}`,
      ],
    ],
    [
      "smtp twice",
      { mail: { smtp: { url: "smtp://m", host: "m" } } },
      [`mail.smtp · set either url or host · ${FILE}`],
    ],
    [
      "smtp without either",
      { mail: { smtp: { port: 25 } } },
      [`mail.smtp · set either url or host · ${FILE}`],
    ],
    [
      "headers slower than the request",
      { server: { headersTimeoutSeconds: 60 } },
      [`server.headersTimeoutSeconds · must not exceed server.requestTimeoutSeconds (30) · ${FILE}`],
    ],
    [
      "purged before the link ends",
      { signup: { purgePendingHours: 2 } },
      [`signup.purgePendingHours · must not be less than signup.verificationTtlHours (24) · ${FILE}`],
    ],
  ])("%s", async (_title, config, expected) => {
    expect(await lines(config)).toEqual(expected);
  });
});

describe("origins", () => {
  it("are those of the value that decides", async () => {
    const flags = [{ name: "--log", path: "log.level", value: "loud" }];
    const env = { PLATFORM_HTTPS: "maybe", PLATFORM_CORS_ORIGINS: "shop" };
    expect(await lines({ log: { level: "info" } }, env, flags)).toEqual([
      'server.https · expected true, false or { cert, key }, received "maybe" · env PLATFORM_HTTPS',
      'cors.origins[0] · expected an origin such as https://shop.example, or "*", received "shop" · env PLATFORM_CORS_ORIGINS',
      'log.level · "loud" is not one of silent, error, warn, info, debug · flag --log',
    ]);
    expect(await lines({}, { PLATFORM_MAIL_TRANSPORT: "smtp" })).toEqual([
      'mail.transport · "smtp" needs mail.smtp.url (PLATFORM_SMTP_URL) or mail.smtp.host (PLATFORM_SMTP_HOST) · env PLATFORM_MAIL_TRANSPORT',
    ]);
  });

  it("name the .env file of dev", async () => {
    const folder = createFolder({ ".env": "PLATFORM_DRAIN_SECONDS=soon\n" });
    expect((await failure(load(folder, { dev: true }))).problems).toMatchObject([
      { path: "server.drainSeconds", origin: ".env PLATFORM_DRAIN_SECONDS" },
    ]);
  });
});

describe("unknown variables", () => {
  it.each([
    ["PLATFORM_PROT", "env PLATFORM_PROT: unknown setting. Did you mean PLATFORM_PORT?"],
    [
      "PLATFORM_MAIL_TRANSPROT",
      "env PLATFORM_MAIL_TRANSPROT: unknown setting. Did you mean PLATFORM_MAIL_TRANSPORT?",
    ],
    [
      "PLATFORM_ADMIN_TOKEN_FIEL",
      "env PLATFORM_ADMIN_TOKEN_FIEL: unknown setting. Did you mean PLATFORM_ADMIN_TOKEN_FILE?",
    ],
    ["PLATFORM_BANANAS", "env PLATFORM_BANANAS: unknown setting."],
    // Only a secret may come from a file.
    ["PLATFORM_PORT_FILE", "env PLATFORM_PORT_FILE: unknown setting."],
  ])("%s is a warning", async (name, warning) => {
    expect((await load(createFolder(), { env: { [name]: "x" } })).warnings).toEqual([warning]);
  });

  it("of the client commands, of others, and known ones are none", async () => {
    const env = {
      PLATFORM_URL: "x",
      PLATFORM_API_KEY: "x",
      PLATFORM_DEBUG: "1",
      PATH: "/bin",
      PLATFORMS: "x",
      PLATFORM_PORT: "1",
    };
    expect((await load(createFolder(), { env })).warnings).toEqual([]);
  });

  it("are looked for in the .env files", async () => {
    const folder = createFolder({ ".env": "PLATFORM_HOTS=x\n" });
    expect((await load(folder)).warnings).toEqual([
      ".env PLATFORM_HOTS: unknown setting. Did you mean PLATFORM_HOST?",
    ]);
  });
});
