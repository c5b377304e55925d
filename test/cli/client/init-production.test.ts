import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { main } from "../../../cli/program/main.ts";
import { hasRedis, startRedis } from "../../support/redis.ts";
import type { RedisServer } from "../../support/redis.ts";
import { createSandbox } from "../run.ts";
import type { Sandbox } from "../run.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox({ NODE_ENV: "production" });
});
afterEach(() => sandbox.remove());

const BASE_URL = "https://api.shop.example";

describe.skipIf(!hasRedis)("init --production, then serve", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it("0 with flags alone, on a real Redis", { timeout: 90_000 }, async () => {
    const format = "json";
    const argv = `init --production --format ${format} --base-url ${BASE_URL} --storage redis --mail console`;
    const from = ["--mail-from", "Shop <no-reply@shop.example>"];
    const more = ["--storage-url", redis.url, "--trusted-proxies", "127.0.0.1, 10.0.0.0/8", ...from];
    const written = await sandbox.run([...argv.split(" "), ...more]);
    expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Next: .* serve$/m) });
    expect(readFileSync(join(sandbox.dir, ".env"), "utf8")).toContain(`REDIS_URL=${redis.url}\n`);
    expect(statSync(join(sandbox.dir, ".env")).mode & 0o777).toBe(0o600);

    const stop = new AbortController();
    let ready: (text: string) => void = () => undefined;
    const serving = new Promise<string>((resolve) => (ready = resolve));
    let printed = "";
    const done = sandbox.run(["serve", "--port", "0"], {
      signal: stop.signal,
      onTalk: (text) => {
        printed += text;
        const url = /Serving \S+ on (\S+),/.exec(printed)?.[1];
        if (url !== undefined) ready(url);
      },
    });
    const url = await Promise.race([serving, done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    expect(printed).toContain(`Serving ${BASE_URL} on`);

    // A customer signs up, verifies the address and calls a route, through the proxy that is trusted.
    const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.7" };
    const email = `ada-${format}@shop.example`;
    const body = JSON.stringify({ email, storeIdentifier: `shop-${format}` });
    const signup = await fetch(`${url}/api/platform/signup`, { method: "POST", headers, body });
    expect(signup.status).toBe(201);
    const link = (await sandbox.run(["mail", "link", email])).stdout.trim();
    expect(link.startsWith(BASE_URL)).toBe(true);
    const [customer] = (await sandbox.run(["customers", "list", "--email", email, "--json"])).json().data;
    const verified = await sandbox.run(["customers", "verify", customer.id, "--yes", "-q"]);
    const called = await fetch(`${url}/v1/account`, {
      headers: { authorization: `Bearer ${verified.stdout.trim()}` },
    });
    expect(called.status).toBe(200);

    const shown = await sandbox.run(["config", "show", "--origin", "--json"]);
    const rows: { path: string; origin: string }[] = shown.json().data;
    const origin = rows.find(({ path }) => path === "storage.url")?.origin;
    expect(origin).toBe(`platform.config.${format}, .env REDIS_URL`);
    expect(rows.find(({ path }) => path === "log.format")).toMatchObject({
      value: "json",
      origin: "default",
    });
    stop.abort(0);
    expect((await done).code).toBe(0);
  });
});

describe("init --production", () => {
  it.each([
    [[], "--base-url"],
    [["--base-url", BASE_URL, "--storage", "redis"], "--storage-url"],
    [["--base-url", BASE_URL], "--smtp-url"],
    [["--base-url", BASE_URL, "--mail", "console"], "--mail-from"],
    [["--base-url", BASE_URL, "--mail", "dev"], '--mail "dev"'],
    [["--storage", "memory"], '--storage "memory"'],
    [["--base-url", BASE_URL, "--smtp-url", "smtp://u:p@mail.test"], "contains a password"],
  ])("2 without a terminal: %j names %s", async (more, name) => {
    const { code, stderr } = await sandbox.run(["init", "--production", ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
  });

  it("0 reads passwords from variables and adds them to an existing .env", async () => {
    const argv = ["init", "--production", "--base-url", BASE_URL, "--mail-from", "a@shop.example"];
    const env = { PLATFORM_SMTP_URL: "smtp://u:p%23@mail.test:587" };
    writeFileSync(join(sandbox.dir, ".env"), "PLATFORM_PORT=3123");
    const written = await sandbox.run([...argv, "--trusted-proxies", "none"], { env });
    expect(written).toMatchObject({ code: 0 });
    const content = "PLATFORM_PORT=3123\nPLATFORM_SMTP_URL=smtp://u:p%23@mail.test:587\n";
    expect(readFileSync(join(sandbox.dir, ".env"), "utf8")).toBe(content);
    expect(await sandbox.run(["config", "check"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(sandbox.dir, "platform.config.ts"), "utf8")).not.toContain("trustedProxies");
  });
});

it("warns that a secret of .env was kept, which differs from the given one", async () => {
  const argv = ["init", "--production", "--base-url", BASE_URL, "--mail-from", "a@shop.example"];
  const run = (url: string, ...more: string[]) =>
    sandbox.run([...argv, "--trusted-proxies", "none", ...more], { env: { PLATFORM_SMTP_URL: url } });
  expect((await run("smtp://u:wrong@mail.test:587")).stderr).not.toContain("warning: .env");
  const { code, stderr } = await run("smtp://u:right@mail.test:587", "--force");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(".env sets PLATFORM_SMTP_URL to another value"),
  ]);
  expect(stderr).not.toMatch(/u:right|u:wrong/);
});

describe("init --production on a terminal", () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "platform-init-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("0 asks for what is missing, and masks the secret", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, end: () => stderr });
    let printed = "";
    let seen = 0;
    const answers: [string, string][] = [
      ["Storage:", "\r"],
      ["Mail transport:", "\r"],
      ["Public address", `${BASE_URL}\r`],
      ["Address of the mail server", "smtp://u:s3cret@mail.test:587\r"],
      ["Sender of mail:", "\r"],
      ["proxies in front", "\r"],
    ];
    stderr.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
      const next = answers[0];
      if (next === undefined || !printed.slice(seen).includes(next[0])) return;
      answers.shift();
      seen = printed.length;
      setImmediate(() => stdin.write(next[1]));
    });
    const env = { XDG_CONFIG_HOME: dir, PATH: process.env.PATH ?? "" };
    const argv = ["init", "--production"];
    const code = await main({ argv, stdin, stdout: new PassThrough(), stderr, env, cwd: dir });
    expect([code, answers]).toEqual([0, []]);
    expect(printed).not.toContain("s3cret");
    expect(readFileSync(join(dir, ".env"), "utf8")).toContain("smtp://u:s3cret@mail.test:587");
    expect(readFileSync(join(dir, "platform.config.ts"), "utf8")).toContain('trustedProxies: ["127.0.0.1"]');
  });
});
