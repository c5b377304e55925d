import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import { defineConfig, secret } from "../../server/config/define.ts";
import { configFields, configJsonSchema } from "../../server/config/fields.ts";
import { showConfig } from "../../server/config/show.ts";
import { folderWith, load } from "./folder.ts";

describe("showConfig", () => {
  it("gives a flat row for each value, a list of texts in one", async () => {
    const plans = [{ id: "free", requestsPerMinute: 7, stores: null }];
    const loaded = await load(folderWith({ plans, cors: { origins: ["https://a.example"] } }));
    expect(showConfig(loaded)).toContainEqual({ path: "plans[0].stores", value: null });
    expect(showConfig(loaded, { origin: true })).toEqual(
      expect.arrayContaining([
        { path: "server.port", value: 3000, origin: "default" },
        { path: "plans[0].requestsPerMinute", value: 7, origin: "platform.config.json" },
        { path: "plans[0].name", value: "Free", origin: "default" },
        { path: "cors.origins", value: ["https://a.example"], origin: "platform.config.json" },
      ]),
    );
  });
});

it("shows the name of a driver in code, not its options", () => {
  const driver = { name: "s3", options: { secretAccessKey: "hidden" }, getItem: () => null };
  const config = { files: { driver } };
  const rows = showConfig(Object.assign(Object.create(null), { config, origins: {}, secrets: [] }));
  expect(rows).toEqual([{ path: "files.driver", value: "s3" }]);
});

describe("the list of settings", () => {
  it("names each variable once, in our style, and describes each setting", () => {
    const variables = configFields()
      .flatMap(({ env, envAlias }) => [env, envAlias])
      .filter((name) => name !== undefined);
    expect(new Set(variables).size).toBe(variables.length);
    // Of others only what hosting platforms, AWS and OpenTelemetry call the same.
    expect(variables.filter((name) => !/^PLATFORM_[A-Z_0-9]+$/.test(name))).toEqual([
      "PORT",
      "HOST",
      "REDIS_URL",
      "AWS_ENDPOINT_URL_S3",
      "AWS_REGION",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_SERVICE_NAME",
    ]);
    expect(configFields().filter(({ description }) => !/^[A-Z`].*\.$/.test(description))).toEqual([]);
  });

  it("makes everything outside lists and tables settable by the environment", () => {
    const without = configFields().filter(({ path, env }) => env === undefined && !path.includes("[]"));
    expect(without.map(({ path }) => path)).toEqual([
      "storage.options",
      "files.options",
      "plans",
      "ai.providers",
      "ai.prices",
    ]);
  });
});

describe("the JSON schema", () => {
  const validate = new Ajv2020().compile(configJsonSchema());

  it.each<[string, unknown, boolean]>([
    ["nothing", {}, true],
    ["its own reference", { $schema: "./schema.json" }, true],
    ["a secret for a text", { admin: { token: { $secret: "TOKEN" } } }, true],
    ["a short plan", { plans: [{ id: "free", requestsPerMinute: 1, stores: null }] }, true],
    ["certificates", { server: { https: { cert: "c", key: "k" } } }, true],
    ["a secret for a choice", { log: { level: { $secret: "LEVEL" } } }, false],
    ["a secret inside a list, which nothing would resolve", { cors: { origins: [{ $secret: "X" }] } }, false],
    ["an unknown setting", { server: { hots: "x" } }, false],
    ["an unknown driver", { storage: { driver: "tape" } }, false],
    ["a Redis", { storage: { driver: "redis", url: { $secret: "REDIS" } } }, true],
    ["a number out of range", { server: { port: 65_536 } }, false],
  ])("takes %s for what loading takes it: %j", async (_title, config, isValid) => {
    expect(validate(config)).toBe(isValid);
    const env = { TOKEN: "a-token-of-24-characters", LEVEL: "info", REDIS: "redis://127.0.0.1" };
    const isLoaded = await load(folderWith(config), { env }).then(
      () => true,
      () => false,
    );
    // The loader is more lenient in one point: a secret may turn out to be one of the choices.
    expect(isLoaded).toBe(isValid || JSON.stringify(config).includes("LEVEL"));
  });

  it("carries descriptions and defaults, and none of our own marks", () => {
    const text = JSON.stringify(configJsonSchema());
    expect(text).toContain('"description":"Port to listen on; 0 selects a free port."');
    expect(text).not.toMatch(/"(?:env|envAlias|secret|path)":/);
  });
});

describe("defineConfig", () => {
  it("returns what it is given, and secret() a plain object", () => {
    const config = { server: { port: 1 }, admin: { token: secret("TOKEN") } };
    expect(defineConfig(config)).toBe(config);
    expect(config.admin.token).toEqual({ $secret: "TOKEN" });
  });

  it("refuses at compile time what loading refuses", () => {
    // @ts-expect-error: no such driver.
    defineConfig({ storage: { driver: "tape" } });
    // @ts-expect-error: no such key.
    defineConfig({ server: { hots: "x" } });
    // @ts-expect-error: a choice is no place for a secret.
    defineConfig({ log: { level: secret("LEVEL") } });
    // @ts-expect-error: requestsPerMinute is missing.
    defineConfig({ plans: [{ id: "free" }] });
    expect(
      defineConfig({ plans: [{ id: "free", requestsPerMinute: 1, stores: null }] as const }),
    ).toBeDefined();
  });

  it("costs nothing to import", () => {
    const source = readFileSync(new URL("../../server/config/define.ts", import.meta.url), "utf8");
    const imports = source.split("\n").filter((line) => line.startsWith("import "));
    expect(imports.filter((line) => !line.startsWith("import type "))).toEqual([]);
  });
});

describe("the configuration of this repository", () => {
  it("is valid, keeps its data in ./data and its mail at home", async () => {
    const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
    const { config, file, warnings } = await load(root, { dev: false });
    expect(file).toBe(`${root}/platform.config.ts`);
    expect(config.storage).toEqual({ driver: "fs", base: `${root}/data` });
    expect(config.mail.transport).toBe("dev");
    expect(warnings).toEqual([]);
  });
});
