import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import type { Flag } from "../../server/config/sources.ts";
import { createFolder, folderWith, load } from "./folder.ts";

const flag = { name: "--port", path: "server.port", value: "1" } satisfies Flag;

interface Sources {
  flags?: readonly Flag[];
  env?: Record<string, string>;
  local?: string;
  dotenv?: string;
  file?: number;
  dev?: boolean;
}

const all: Sources = {
  flags: [flag],
  env: { PLATFORM_PORT: "2", PORT: "3" },
  local: "PLATFORM_PORT=4\n",
  dotenv: "PLATFORM_PORT=5\n",
  file: 6,
  dev: true,
};

/** The budgets that follow a plan's requests a minute: those of Free are for 60. */
const budgets = (requests: number, isPaid: boolean) => ({
  mailsPerDay: Math.ceil((100 * requests) / 60),
  newRecipientsPerDay: isPaid ? null : Math.ceil((20 * requests) / 60),
  cpuSecondsPerHour: 2 * requests,
  backgroundSecondsPerHour: 5 * requests,
  outgoingPerHour: 5 * requests,
  aiTokensPerDay: Math.ceil((200_000 * requests) / 60),
  documentsPerStore: Math.ceil((50_000 * requests) / 60),
  megabytesPerStore: Math.ceil((250 * requests) / 60),
});

describe("the strongest source of server.port wins", () => {
  it.each<[string, Sources, number, string]>([
    ["a flag over everything", all, 1, "flag --port"],
    ["PLATFORM_PORT over PORT", { ...all, flags: [] }, 2, "env PLATFORM_PORT"],
    ["PORT over files", { ...all, flags: [], env: { PORT: "3" } }, 3, "env PORT"],
    [
      "an empty variable counts as not set",
      { ...all, flags: [], env: { PLATFORM_PORT: "", PORT: "" } },
      4,
      ".env.local PLATFORM_PORT",
    ],
    [".env.local over .env", { ...all, flags: [], env: {} }, 4, ".env.local PLATFORM_PORT"],
    [".env over the file", { dotenv: "PLATFORM_PORT=5\n", file: 6, dev: true }, 5, ".env PLATFORM_PORT"],
    ["PORT in .env over the file", { dotenv: "PORT=5\n", file: 6, dev: true }, 5, ".env PORT"],
    [".env also when not in dev", { dotenv: "PLATFORM_PORT=5\n", file: 6 }, 5, ".env PLATFORM_PORT"],
    ["the default when nothing is written", {}, 3000, "default"],
  ])("%s", async (_title, sources, port, origin) => {
    const folder = createFolder({
      ...(sources.local === undefined ? {} : { ".env.local": sources.local }),
      ...(sources.dotenv === undefined ? {} : { ".env": sources.dotenv }),
      ...(sources.file === undefined
        ? {}
        : { "platform.config.json": JSON.stringify({ server: { port: sources.file } }) }),
    });
    const { flags = [], env = {}, dev = false } = sources;
    const { config, origins } = await load(folder, { flags, env, dev });
    expect(config.server.port).toBe(port);
    expect(origins["server.port"]).toBe(origin);
  });
});

describe("layers", () => {
  it("merges objects member by member, each with its origin", async () => {
    const folder = folderWith({ server: { port: 8080, host: "10.0.0.1" }, mail: { transport: "console" } });
    const { config, origins } = await load(folder, { env: { HOST: "0.0.0.0", PLATFORM_LOG_LEVEL: "debug" } });
    expect(config.server).toMatchObject({ port: 8080, host: "0.0.0.0", drainSeconds: 10 });
    expect(config.mail.transport).toBe("console");
    expect(config.log.level).toBe("debug");
    expect(origins).toMatchObject({
      "server.port": "platform.config.json",
      "server.host": "env HOST",
      "server.drainSeconds": "default",
      "mail.transport": "platform.config.json",
      "log.level": "env PLATFORM_LOG_LEVEL",
    });
  });

  it("replaces a list whole, and completes what its members leave out", async () => {
    const plans = [
      { id: "free", requestsPerMinute: 10 },
      { id: "gold", requestsPerMinute: 99, stores: null, trialDays: 30 },
    ];
    const { config, origins } = await load(folderWith({ plans }));
    expect(config.plans).toEqual([
      {
        id: "free",
        name: "Free",
        requestsPerMinute: 10,
        stores: 1,
        activeKeys: 2,
        paid: false,
        trialDays: 0,
        ...budgets(10, false),
      },
      {
        id: "gold",
        name: "Gold",
        requestsPerMinute: 99,
        stores: null,
        activeKeys: 2,
        paid: true,
        trialDays: 30,
        ...budgets(99, true),
      },
    ]);
    expect(origins).toMatchObject({
      "plans[1].stores": "platform.config.json",
      "plans[1].activeKeys": "default",
    });
    expect(origins).not.toHaveProperty("plans[2].id");
  });

  it("replaces a list of the file by the one of the environment", async () => {
    const folder = folderWith({ cors: { origins: ["https://a.example"] } });
    const { config } = await load(folder, {
      env: { PLATFORM_CORS_ORIGINS: "https://b.example, https://c.example," },
    });
    expect(config.cors.origins).toEqual(["https://b.example", "https://c.example"]);
  });

  it("drops the settings of a driver that a stronger source replaces", async () => {
    const folder = folderWith({ storage: { driver: "fs", base: "./elsewhere" } });
    const { config } = await load(folder, { env: { PLATFORM_STORAGE_DRIVER: "memory" } });
    expect(config.storage).toEqual({ driver: "memory" });
  });

  it("drops them too when the file leaves the driver to the default", async () => {
    const { config } = await load(createFolder(), {
      env: { PLATFORM_STORAGE_BASE: "/srv/data" },
      flags: [{ name: "--storage", path: "storage.driver", value: "memory" }],
    });
    expect(config.storage).toEqual({ driver: "memory" });
  });

  it("lets a certificate replace the choice of a self-signed one", async () => {
    const folder = folderWith({ server: { https: true } });
    const env = { PLATFORM_HTTPS_CERT: "/tls/cert.pem", PLATFORM_HTTPS_KEY: "/tls/key.pem" };
    expect((await load(folder, { env })).config.server.https).toEqual({
      cert: "/tls/cert.pem",
      key: "/tls/key.pem",
    });
    expect((await load(folder, { env: { PLATFORM_HTTPS: "false" } })).config.server.https).toBe(false);
  });

  it("takes members that are undefined for absent", async () => {
    const folder = createFolder({
      "platform.config.mjs": "export default { server: { port: undefined }, mail: undefined };",
    });
    expect((await load(folder, { env: { PORT: "4000" } })).config.server.port).toBe(4000);
  });
});

describe("defaults", () => {
  it("are those of the documentation", async () => {
    const folder = createFolder();
    const { config, file, dir, warnings } = await load(folder);
    expect({ file, dir, warnings }).toEqual({ file: null, dir: folder, warnings: [] });
    expect(config).toEqual({
      server: {
        port: 3000,
        host: "127.0.0.1",
        https: false,
        trustedProxies: [],
        requestTimeoutSeconds: 30,
        headersTimeoutSeconds: 10,
        keepAliveSeconds: 75,
        drainSeconds: 10,
      },
      storage: { driver: "fs", base: join(folder, "data") },
      mail: { transport: "dev", from: "Storefront Platform <no-reply@localhost>" },
      plans: [
        {
          id: "free",
          name: "Free",
          requestsPerMinute: 60,
          stores: 1,
          activeKeys: 2,
          paid: false,
          trialDays: 0,
          ...budgets(60, false),
        },
        {
          id: "starter",
          name: "Starter",
          requestsPerMinute: 300,
          stores: 1,
          activeKeys: 5,
          paid: true,
          trialDays: 14,
          ...budgets(300, true),
        },
        {
          id: "growth",
          name: "Growth",
          requestsPerMinute: 1500,
          stores: 5,
          activeKeys: 10,
          paid: true,
          trialDays: 14,
          ...budgets(1500, true),
        },
        {
          id: "scale",
          name: "Scale",
          requestsPerMinute: 6000,
          stores: 25,
          activeKeys: 25,
          paid: true,
          trialDays: 14,
          ...budgets(6000, true),
        },
        {
          id: "enterprise",
          name: "Enterprise",
          requestsPerMinute: 30_000,
          stores: null,
          activeKeys: 100,
          paid: true,
          trialDays: 14,
          ...budgets(30_000, true),
        },
      ],
      cors: { origins: [] },
      signup: { perIpPerHour: 20, perAddressPerDay: 3, verificationTtlHours: 24, purgePendingHours: 72 },
      log: { level: "info", format: "json" },
      limits: { bodyBytes: 1_048_576 },
      backup: { everyHours: 24, keep: 14, recipients: [] },
      admin: { ui: true },
      ai: {
        provider: "builtin",
        providers: [],
        models: [],
        timeoutSeconds: 60,
        outputTokensMax: 2000,
        currency: "USD",
        prices: [],
        logPrompts: false,
      },
      outgoing: { allow: [] },
      requestLog: { store: "errors", days: 14, entries: 20_000, memory: 2000 },
      observability: { metrics: false, samplePercent: 100, serviceName: "storefront-platform" },
      idempotencyTtlHours: 24,
    });
  });

  it("of the log depend on the command, and yield to what is written", async () => {
    const folder = createFolder();
    expect((await load(folder, { dev: true })).config.log.format).toBe("pretty");
    const env = { PLATFORM_LOG_FORMAT: "json" };
    expect((await load(folder, { dev: true, env })).config.log.format).toBe("json");
  });
});

describe("relative names", () => {
  it("belong to the folder of the file they are written in", async () => {
    const folder = createFolder({
      ".git/": "",
      "platform.config.json": JSON.stringify({ storage: { driver: "fs", base: "./var" } }),
      "deep/down/": "",
    });
    const { config, dir } = await load(join(folder, "deep/down"));
    expect(config.storage).toEqual({ driver: "fs", base: join(folder, "var") });
    expect(dir).toBe(folder);
  });

  it("belong to the working folder when a flag or the environment gives them", async () => {
    const folder = createFolder({ ".git/": "", "platform.config.json": "{}", "deep/": "" });
    const fromEnv = await load(join(folder, "deep"), { env: { PLATFORM_STORAGE_BASE: "here" } });
    expect(fromEnv.config.storage).toEqual({ driver: "fs", base: join(folder, "deep/here") });
    const flags = [
      { name: "--cert", path: "server.https.cert", value: "cert.pem" },
      { name: "--key", path: "server.https.key", value: "/abs/key.pem" },
    ];
    const fromFlags = await load(join(folder, "deep"), { flags });
    expect(fromFlags.config.server.https).toEqual({
      cert: join(folder, "deep/cert.pem"),
      key: "/abs/key.pem",
    });
  });

  it("belong to the folder of .env when that gives them, and the default to the configuration's", async () => {
    const folder = createFolder({
      ".git/": "",
      "platform.config.json": "{}",
      ".env": "PLATFORM_STORAGE_BASE=kept",
      "deep/": "",
    });
    const written = await load(join(folder, "deep"));
    expect(written.config.storage).toEqual({ driver: "fs", base: join(folder, "kept") });
    rmSync(join(folder, ".env"));
    const other = await load(join(folder, "deep"));
    expect(other.config.storage).toEqual({ driver: "fs", base: join(folder, "data") });
  });
});

it("takes the slash off the end of the base URL", async () => {
  const { config } = await load(createFolder(), { env: { PLATFORM_BASE_URL: "https://shop.example/api/" } });
  expect(config.baseUrl).toBe("https://shop.example/api");
});

it("refuses a flag for something that is no setting: a mistake of ours", async () => {
  const flags = [{ name: "--prot", path: "server.prot", value: "1" }];
  await expect(load(createFolder(), { flags })).rejects.toThrow(
    'The flag --prot sets "server.prot", which is not a setting.',
  );
});
