import { describe, expect, it } from "vitest";

import { ConfigError } from "../../server/config/error.ts";
import { addressOf } from "../../server/config/load.ts";
import { checkServable } from "../../server/config/servable.ts";
import { createFolder, folderWith, load } from "./folder.ts";

const smtp = { transport: "smtp", from: "api@shop.example", smtp: { host: "mail.example" } };

async function check(config: unknown): Promise<string | string[]> {
  const loaded = await load(folderWith(config));
  try {
    return checkServable(loaded);
  } catch (error) {
    if (error instanceof ConfigError) return error.format().replaceAll(/ {2,}/g, " · ");
    throw error;
  }
}

describe("files", () => {
  const server = { trustedProxies: ["10.0.0.1"] };
  const config = { baseUrl: "https://api.shop.example", mail: smtp, server };
  const redis = { driver: "redis", url: "redis://127.0.0.1:6379" };

  it("are read by driver, with the folder or the options of a driver of unstorage", async () => {
    const folder = { driver: "fs", base: "./uploads" };
    expect(await check({ ...config, files: folder })).toEqual([]);
    const bucket = { driver: "s3", options: { bucket: "uploads" } };
    expect(await check({ ...config, storage: redis, files: bucket })).toEqual([]);
    const problems = (files: object) => check({ ...config, files }).catch((error) => error.format());
    expect(await problems({ driver: "memory" })).toContain("discards files");
    expect(await problems({ driver: "s3", base: "./uploads" })).toContain("setting of the driver");
  });

  it("in a folder are a warning where there are several nodes", async () => {
    const files = { driver: "fs", base: "/mnt/uploads" };
    expect(String(await check({ ...config, storage: redis, files }))).toContain(
      "every node must have the same",
    );
  });
});

describe("serve demands", () => {
  it("the choices that nobody can make for the operator", async () => {
    expect(await check({})).toBe(
      [
        "✖ platform.config.json: 2 problems",
        " · baseUrl · not set. Set the public URL that links in mails start with (PLATFORM_BASE_URL) · default",
        ' · mail.transport · not set. Use "smtp" to send mail or "console" to print it to the log (PLATFORM_MAIL_TRANSPORT) · default',
      ].join("\n"),
    );
  });

  it.each<[string, unknown, string]>([
    [
      "no inbox page on a public server",
      { baseUrl: "https://api.shop.example", mail: { transport: "dev" } },
      'mail.transport · "dev" shows every mail to anyone who opens the inbox page. Use "smtp" or "console" · platform.config.json',
    ],
    [
      "a sender for mails that leave",
      { baseUrl: "https://api.shop.example", mail: { ...smtp, from: undefined } },
      "mail.from · not set. Set the sender of mails (PLATFORM_MAIL_FROM) · default",
    ],
  ])("%s", async (_title, config, row) => {
    expect(await check(config)).toBe(`✖ platform.config.json: 1 problem\n · ${row}`);
  });

  it("nothing more, and warns of what is unusual", async () => {
    const behind = { baseUrl: "https://api.shop.example", mail: smtp };
    expect(await check({ ...behind, server: { trustedProxies: ["10.0.0.1"] } })).toEqual([]);
    expect(await check(behind)).toEqual([expect.stringContaining("server.trustedProxies is not set")]);
    const local = {
      baseUrl: "http://127.0.0.1:3000",
      mail: { transport: "dev" },
      storage: { driver: "memory" },
      server: { https: true },
    };
    expect(await check(local)).toEqual([
      'mail.transport is "dev": no mail leaves this machine.',
      'storage.driver is "memory": all data is lost when the server stops.',
      "server.https is true: browsers show a warning for the self-signed certificate.",
    ]);
  });

  it("takes a choice from the environment for a choice", async () => {
    const env = { PLATFORM_BASE_URL: "http://localhost:1", PLATFORM_MAIL_TRANSPORT: "dev" };
    expect(checkServable(await load(createFolder(), { env }))).toHaveLength(1);
  });
});

it.each([
  [{ host: "127.0.0.1", port: 3000, https: false as const }, "http://127.0.0.1:3000"],
  [{ host: "0.0.0.0", port: 80, https: false as const }, "http://127.0.0.1:80"],
  [{ host: "::1", port: 1, https: true as const }, "https://[::1]:1"],
  [{ host: "::", port: 1, https: { cert: "c", key: "k" } }, "https://127.0.0.1:1"],
])("addressOf %j", (server, address) => {
  expect(addressOf(server)).toBe(address);
});
