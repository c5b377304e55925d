import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunningServer } from "../../../server/serve.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
let server: RunningServer;
let env: Record<string, string>;
let keyId: string;
beforeAll(async () => {
  sandbox = createServiceSandbox();
  server = await sandbox.serve();
  const { data } = (await sandbox.run(["seed", "--json"])).json();
  const issue = ["keys", "issue", "--customer", data.customer_id, "--preset", "full", "--json"];
  const key = (await sandbox.run(issue)).json().data;
  env = { PLATFORM_API_KEY: key.api_key };
  keyId = key.id;
});
afterAll(async () => {
  await server.stop("test");
  sandbox.remove();
});

/** Calls a route; resolves to the request id that the answer named. */
async function requestIdOf(path: string): Promise<string> {
  const { stderr } = await sandbox.run(["call", path, "-i", "--silent", "--no-fail"], { env });
  return /^x-request-id: (\S+)/m.exec(stderr)?.[1] ?? "";
}

describe("logs", () => {
  it("0 tells what became of a request by the id that the customer quotes, after a restart too", async () => {
    const id = await requestIdOf("/v1/delivery/zones/zon_none");
    const shown = (await sandbox.run(["logs", "show", id, "--json"])).json().data;
    expect(shown).toMatchObject({ request_id: id, status: 404, key_id: keyId, route: "delivery.zones.get" });
    await server.stop("test");
    const alone = await sandbox.run(["logs", "show", id]);
    expect(alone.code).toBe(0);
    expect(alone.rows()).toContainEqual(["error", "not_found"]);
    server = await sandbox.serve();
    expect((await sandbox.run(["logs", "show", id, "--json"])).json().data).toEqual(shown);
  });

  it("0 lists by key and status, and what went well with --recent", async () => {
    const fine = await requestIdOf("/v1/delivery/zones");
    const missing = await requestIdOf("/v1/delivery/zones/zon_other");
    const listed = await sandbox.run(["logs", "list", "--key", keyId, "--status", "4xx", "--json"]);
    const ids = listed.json().data.map((entry: { request_id: string }) => entry.request_id);
    expect(ids[0]).toBe(missing);
    expect(ids).not.toContain(fine);
    const recent = await sandbox.run([
      "logs",
      "list",
      "--recent",
      "--status",
      "200",
      "--jq",
      ".data[0].request_id",
    ]);
    expect(recent.stdout).toBe(`${fine}\n`);
  });

  it("6 a request that nobody knows; 2 a status that is none", async () => {
    expect((await sandbox.run(["logs", "show", "req_nothing"])).code).toBe(6);
    expect((await sandbox.run(["logs", "list", "--status", "9xx"])).code).toBe(7);
  });

  it("0 tells requests as they come, filtered, after those of the last minutes", async () => {
    const before = await requestIdOf("/v1/delivery/zones/zon_before");
    let heard = "";
    let resolveReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      resolveReady = resolve;
    });
    const argv = ["logs", "tail", "--route", "delivery.zones.get", "--since", "10m", "--json"];
    const total = (await sandbox.run(["logs", "list", "--recent", "--limit", "100", "--json"]))
      .json()
      .data.filter((entry: { route: string }) => entry.route === "delivery.zones.get").length;
    const done = sandbox.run([...argv, "--count", String(total + 1)], {
      onTalk: (text) => {
        heard += text;
        if (heard.includes("Watching")) resolveReady();
      },
    });
    await ready;
    await requestIdOf("/v1/delivery/zones");
    const after = await requestIdOf("/v1/delivery/zones/zon_after");
    const { code, stdout } = await done;
    expect(code).toBe(0);
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).request_id);
    expect(ids).toContain(before);
    expect(ids.at(-1)).toBe(after);
  });
});
