import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, it } from "vitest";

import { createCleanup, serve } from "./rig.ts";

// A stream goes on after the request that was authenticated: whoever may no longer read must not go on reading.

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** Longer than an open stream goes on between two looks at its reader. */
const LOOKED_AGAIN_MS = 1_500;

async function start() {
  const server = await serve(cleanup);
  /** A call with a token, whose response must be a success. */
  async function call(method: string, path: string, options: { token?: string; body?: object } = {}) {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${options.token ?? server.adminToken}`,
        "content-type": "application/json",
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return response.status === 204 ? null : (await response.json()).data;
  }
  /** Opens a stream; the result resolves when it has ended. */
  async function follow(path: string, headers: Record<string, string>) {
    const cut = new AbortController();
    cleanup.add(() => cut.abort());
    const response = await fetch(server.url + path, { headers, signal: cut.signal });
    expect(response.status).toBe(200);
    const ended = response.text().then(
      () => true,
      () => true,
    );
    return { ended };
  }
  return { server, call, follow };
}

const ADMIN = "/api/platform/admin";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it.each(["/logs/stream", "/limits/stream"])("a removed operator no longer follows %s", async (path) => {
  const { call, follow } = await start();
  const removed = await call("POST", `${ADMIN}/operators`, { body: { name: "dee", role: "viewer" } });
  const kept = await call("POST", `${ADMIN}/operators`, { body: { name: "eve", role: "viewer" } });
  const [first, other] = [
    await follow(ADMIN + path, bearer(removed.token)),
    await follow(ADMIN + path, bearer(kept.token)),
  ];
  await call("DELETE", `${ADMIN}/operators/dee`);
  await first.ended;
  expect(await Promise.race([other.ended, sleep(LOOKED_AGAIN_MS, "open")])).toBe("open");
});

it.each([
  ["a revoked key", "keys/:key/revoke"],
  ["a suspended customer", "customers/:customer/suspend"],
])("%s no longer receives deliveries", async (_, action) => {
  const { call, follow } = await start();
  const { customer_id } = await call("POST", `${ADMIN}/seed`, { body: {} });
  const key = await call("POST", `${ADMIN}/keys`, { body: { customer_id, preset: "full" } });
  const { id } = await call("POST", "/v1/account/webhooks", {
    token: key.api_key,
    body: { types: ["reviews.*"] },
  });
  const { ended } = await follow(`/v1/account/webhooks/${id}/stream`, bearer(key.api_key));
  const path = action.replace(":key", key.id).replace(":customer", customer_id);
  await call("POST", `${ADMIN}/${path}`, { body: {} });
  expect(await ended).toBe(true);
});
