import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunningServer } from "../../../server/serve.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
let server: RunningServer;
let env: Record<string, string>;
beforeEach(async () => {
  sandbox = createServiceSandbox();
  server = await sandbox.serve();
  await sandbox.run(["customers", "create", "--email", "ada@shop.test", "--store", "s1", "--no-mail"]);
  const [customer] = (await sandbox.run(["customers", "list", "--json"])).json().data;
  const key = await sandbox.run(["customers", "verify", customer.id, "--yes"]);
  env = { PLATFORM_API_KEY: key.stdout.trim() };
});
afterEach(async () => {
  await server.stop("test");
  sandbox.remove();
});

const call = () => sandbox.run(["call", "/v1/tiers/customers", "--silent"], { env });

/** Starts a tail; `when` tells when its talk or its output holds a text. */
function tail(argv: readonly string[], signal?: AbortSignal) {
  let heard = "";
  const waiting: { text: string; resolve: () => void }[] = [];
  const hear = (text: string): void => {
    heard += text;
    for (const wish of waiting) if (heard.includes(wish.text)) wish.resolve();
  };
  const options = { onOutput: hear, onTalk: hear, ...(signal === undefined ? {} : { signal }) };
  const done = sandbox.run(["limits", "tail", "--json", ...argv], options);
  const when = (text: string): Promise<void> =>
    heard.includes(text) ? Promise.resolve() : new Promise((resolve) => void waiting.push({ text, resolve }));
  return { done, when };
}

const eventsOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("limits tail", () => {
  it("0 begins with the open windows and goes on live, until --count", async () => {
    await call();
    const watching = tail(["--count", "3"]);
    await watching.when("Watching");
    await call();
    await call();
    const { code, stdout, stderr } = await watching.done;
    expect(code).toBe(0);
    const events = eventsOf(stdout);
    expect(events.map(({ type, remaining }) => [type, remaining])).toEqual([
      ["snapshot", 59],
      ["update", 58],
      ["update", 57],
    ]);
    expect(events[2]).toMatchObject({
      limit: 60,
      route: "tiers.customers.list",
      at: expect.stringMatching(/Z$/),
    });
    expect(stderr).toContain("Watching http://127.0.0.1:");
  });

  it("0 ends after --for", async () => {
    const { code, stdout } = await tail(["--for", "300ms"]).done;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("0 ends at Ctrl+C", async () => {
    const interruption = new AbortController();
    const watching = tail([], interruption.signal);
    await watching.when("Watching");
    interruption.abort(130);
    expect((await watching.done).code).toBe(0);
  });

  it("0 filters: refusals only, one engine, one key", async () => {
    const refused = tail(["--only-429", "--count", "1"]);
    const engine = tail(["--engine", "delivery", "--count", "1"]);
    await Promise.all([refused.when("Watching"), engine.when("Watching")]);
    for (let sent = 0; sent < 60; sent += 1) await call();
    expect((await call()).code).toBe(8);
    expect(eventsOf((await refused.done).stdout)).toMatchObject([{ type: "rejected", remaining: 0 }]);
    await sandbox.run(["limits", "reset", String(eventsOf((await refused.done).stdout)[0]?.key), "--yes"]);
    await sandbox.run(["call", "/v1/delivery/zones", "--silent"], { env });
    expect(eventsOf((await engine.done).stdout)).toMatchObject([{ route: "delivery.zones.list" }]);
  });

  it("0 survives a restart of the server, and says that something may have been missed", async () => {
    const watching = tail(["--count", "2"]);
    await watching.when("Watching");
    await call();
    await watching.when('"update"');
    await server.stop("test");
    await watching.when("Reconnecting");
    server = await sandbox.serve();
    await watching.when("Reconnected after");
    await call();
    const { code, stdout, stderr } = await watching.done;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /Reconnected after [\d.]+ s: another process responds, and events in between were missed/,
    );
    const events = eventsOf(stdout);
    expect(events.find(({ type }) => type === "reconnected")).toMatchObject({ gap: true });
    expect(events.filter(({ type }) => type !== "reconnected")).toHaveLength(2);
  });

  it("0 waits for a server where none runs, and takes no lock meanwhile", async () => {
    await server.stop("test");
    const watching = tail(["--count", "1"]);
    await watching.when("No server is running in this folder.");
    server = await sandbox.serve();
    await watching.when("Reconnected after");
    await call();
    expect((await watching.done).code).toBe(0);
  });

  it.each([
    ["--count", "0"],
    ["--count", "x"],
    ["--min-used", "101%"],
    ["--for", "soon"],
    ["--interval", "x"],
  ])("2 refuses %s %s", async (flag, value) => {
    expect(await sandbox.run(["limits", "tail", flag, value])).toMatchObject({ code: 2, stdout: "" });
  });

  it("4 ends where waiting would not help", async () => {
    const argv = ["limits", "tail", "--url", server.url];
    const wrong = { PLATFORM_ADMIN_TOKEN: `plat_admin_${"0".repeat(36)}` };
    expect(await sandbox.run(argv, { env: wrong })).toMatchObject({ code: 4, stdout: "" });
  });
});

describe("audit tail", () => {
  it("0 prints what is changed meanwhile", async () => {
    let started: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const done = sandbox.run(["audit", "tail", "--count", "1", "--interval", "20ms", "--json", "-v"], {
      onTalk: (text) => (text.includes("/audit") ? started() : undefined),
    });
    await begun;
    await sandbox.run(["keys", "issue", "--email", "ada@shop.test", "--preset", "full"]);
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect(eventsOf(stdout)).toMatchObject([{ action: "key.issued" }]);
  });
});
