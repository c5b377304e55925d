import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";

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
  await sandbox.run(["customers", "verify", customer.id, "--yes"]);
  const key = await sandbox.run(["keys", "issue", "--customer", customer.id, "--preset", "full", "--quiet"]);
  // As on another machine: an address and a key, and nothing of the operator.
  env = { PLATFORM_API_KEY: key.stdout.trim(), PLATFORM_URL: server.url };
});
afterEach(async () => {
  await server.stop("test");
  sandbox.remove();
});

interface Got {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function openReceiver(statusOf: (count: number) => number) {
  const got: Got[] = [];
  const http = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8").on("data", (text: string) => (body += text));
    req.on("end", () => {
      got.push({
        headers: Object.fromEntries(Object.entries(req.headers).map(([n, v]) => [n, String(v)])),
        body,
      });
      res.writeHead(statusOf(got.length)).end();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  const { port } = http.address() as AddressInfo;
  return { got, url: `http://127.0.0.1:${port}/hooks`, close: () => http.close() };
}

/** Starts listening; `when` resolves once its output holds a text. */
function listen(argv: readonly string[], signal?: AbortSignal) {
  let heard = "";
  const waiting: { text: string; resolve: () => void }[] = [];
  const hear = (text: string): void => {
    heard += text;
    for (const wish of waiting) if (heard.includes(wish.text)) wish.resolve();
  };
  const options = { env, onOutput: hear, onTalk: hear, ...(signal === undefined ? {} : { signal }) };
  const done = sandbox.run(["webhooks", "listen", "--url", server.url, ...argv], options);
  const when = (text: string): Promise<void> =>
    heard.includes(text) ? Promise.resolve() : new Promise((resolve) => void waiting.push({ text, resolve }));
  return { done, when, heard: () => heard };
}

const run = (...argv: string[]) => sandbox.run([...argv, "--url", server.url], { env });
const endpoints = async () => (await run("call", "/v1/account/webhooks", "--json")).json().data;

describe("webhooks listen and trigger", () => {
  it("0 forward signed events with the key alone, print each result, and leave no endpoint behind", async () => {
    const receiver = await openReceiver((count) => (count === 2 ? 500 : 204));
    const listening = listen(["--forward-to", receiver.url, "--type", "reviews.*", "--count", "2", "--json"]);
    await listening.when("whsec_");
    const secret = /whsec_\S+/.exec(listening.heard())?.[0] ?? "";
    for (const type of ["reviews.review.submitted", "reviews.review.published"])
      expect((await run("webhooks", "trigger", type)).code).toBe(0);
    const { code, stdout } = await listening.done;
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { type: "reviews.review.submitted", status: 204, error: null },
      { type: "reviews.review.published", status: 500, error: null },
    ]);
    for (const { headers, body } of receiver.got)
      expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
    expect(await endpoints()).toEqual([]);
    receiver.close();
  });

  it("0 survives a restart of the server: what happened meanwhile is forwarded", async () => {
    const receiver = await openReceiver(() => 204);
    const { port } = new URL(server.url);
    const listening = listen(["--forward-to", receiver.url, "--type", "reviews.*", "--count", "2"]);
    await listening.when("whsec_");
    await run("webhooks", "trigger", "reviews.review.submitted");
    await listening.when("reviews.review.submitted");
    await server.stop("test");
    await listening.when("Reconnecting");
    server = await sandbox.serve(Number(port));
    await listening.when("Reconnected");
    await run("webhooks", "trigger", "reviews.review.published");
    expect((await listening.done).code).toBe(0);
    expect(receiver.got.map(({ body }) => JSON.parse(body).type)).toEqual([
      "reviews.review.submitted",
      "reviews.review.published",
    ]);
    receiver.close();
  });

  it("reports a receiver that does not answer, and ends at Ctrl+C", async () => {
    const receiver = await openReceiver(() => 204);
    receiver.close();
    const interruption = new AbortController();
    const listening = listen(["--forward-to", receiver.url, "--type", "reviews.*"], interruption.signal);
    await listening.when("whsec_");
    await run("webhooks", "trigger", "reviews.review.submitted");
    await listening.when("ECONNREFUSED");
    interruption.abort(130);
    expect((await listening.done).code).toBe(0);
    expect(await endpoints()).toEqual([]);
  });

  it("2 for a count that is none, before an endpoint is created", async () => {
    const argv = ["webhooks", "listen", "--forward-to", "http://127.0.0.1:1/hooks", "--count", "some"];
    expect((await run(...argv)).code).toBe(2);
    expect(await endpoints()).toEqual([]);
  });

  it("2 for another address than an http URL, and for an event that nothing receives", async () => {
    expect((await run("webhooks", "listen", "--forward-to", "localhost")).code).toBe(2);
    expect((await run("webhooks", "trigger", "reviews.review.submitted")).code).toBe(2);
  });
});
