import { afterEach, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { pingWithin } from "../../server/operations/health.ts";
import { StoreError } from "../../server/storage/contract.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness } from "../harness.ts";
import { createCleanup, serve } from "./rig.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

/** A store whose writes can be made to fail, as a full or broken disk does. */
function createFragileStore() {
  const memory = createMemoryDriver({ clock: systemClock });
  let isBroken = false;
  const store: StoreDriver = {
    ...memory,
    async commit(part, ops, checks) {
      if (isBroken) throw new StoreError("UNAVAILABLE", "EIO: the disk is broken");
      return memory.commit(part, ops, checks);
    },
    async ping() {
      if (isBroken) throw new StoreError("UNAVAILABLE", "EIO: the disk is broken");
    },
  };
  return {
    store,
    breaks: (): void => void (isBroken = true),
    mends: (): void => void (isBroken = false),
  };
}

async function get(url: string, path: string) {
  const response = await fetch(url + path);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("health", () => {
  it("200 /healthz tells of process, storage and mail; 200 /readyz", async () => {
    const { url } = await serve(cleanup);
    const health = await get(url, "/healthz");
    expect(health.status).toBe(200);
    expect(health.body).toEqual({
      status: "ok",
      uptime_seconds: expect.any(Number),
      storage: { state: "ok" },
      mail: { waiting: 0, oldest_created_at: null },
    });
    expect(await get(url, "/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  it("503 /readyz while storage is almost full, and requests are served", async () => {
    const memory = createMemoryDriver({ clock: systemClock });
    const ping = () => Promise.reject(new StoreError("FULL", "5 bytes left"));
    const { url } = await serve(cleanup, {}, { store: { ...memory, ping } });
    const ready = await get(url, "/readyz");
    expect([ready.status, ready.body.error.detail]).toEqual([
      503,
      "The storage is full or almost full. Reads continue.",
    ]);
    expect((await get(url, "/healthz")).body.storage).toEqual({ state: "failing" });
  });

  it("503 /readyz while storage cannot write, 200 again when it can; /healthz stays 200 and says so", async () => {
    const fragile = createFragileStore();
    const { url, log } = await serve(cleanup, {}, { store: fragile.store });
    fragile.breaks();
    const ready = await get(url, "/readyz");
    expect(ready.status).toBe(503);
    expect(ready.headers.get("content-type")).toBe("application/problem+json");
    expect(ready.headers.get("retry-after")).toBe("5");
    expect(ready.body.error.type).toBe("service_unavailable");
    // The reason is for the operator's log, not for the world.
    expect(JSON.stringify(ready.body)).not.toContain("EIO");
    expect(log.lines.join("")).toContain("EIO");
    expect(await get(url, "/healthz")).toMatchObject({
      status: 200,
      body: { status: "ok", storage: { state: "failing" }, mail: { waiting: null } },
    });
    fragile.mends();
    expect((await get(url, "/readyz")).status).toBe(200);
  });

  it("takes a store that does not answer for one that cannot write", async () => {
    const never = new Promise<void>(() => undefined);
    expect(await pingWithin({ ping: () => never }, 10)).toBeInstanceOf(StoreError);
    expect(await pingWithin({ ping: () => Promise.resolve() }, 10)).toBeNull();
  });

  it("asks the store once for all who ask at about the same time, and again at once after a failure", async () => {
    let pings = 0;
    let isBroken = false;
    const store = {
      async ping() {
        pings += 1;
        await new Promise((resolve) => void setTimeout(resolve, 5));
        if (isBroken) throw new StoreError("UNAVAILABLE", "EIO: the disk is broken");
      },
    };
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const all = await Promise.all(Array.from({ length: 30 }, () => pingWithin(store)));
      expect([all.every((reason) => reason === null), pings]).toEqual([true, 1]);
      vi.advanceTimersByTime(900);
      isBroken = true;
      expect(await pingWithin(store)).toBeNull();
      vi.advanceTimersByTime(200);
      expect(await pingWithin(store)).toBeInstanceOf(StoreError);
      isBroken = false;
      expect(await pingWithin(store)).toBeNull();
      expect(pings).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  it("counts mail that waits once for all who ask within a second", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const harness = await createHarness();
    try {
      const counted = vi.spyOn(harness.services.mail, "backlog");
      const askAll = () => Promise.all(Array.from({ length: 30 }, () => harness.call("GET", "/healthz")));
      expect((await askAll()).map(({ json }) => json.mail.waiting)).toEqual(
        Array.from({ length: 30 }, () => 0),
      );
      vi.advanceTimersByTime(900);
      await askAll();
      expect(counted).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(200);
      await askAll();
      expect(counted).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
      await harness.close();
    }
  });

  it("counts mail that waits", async () => {
    const server = await serve(cleanup, {
      "mail.transport": "smtp",
      "mail.smtp.host": "127.0.0.1",
      "mail.smtp.port": 9,
    });
    const signup = await fetch(`${server.url}/api/platform/signup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ada@shop.example", storeIdentifier: "shop" }),
    });
    expect(await signup.json()).toMatchObject({ email_sent: false });
    const { body } = await get(server.url, "/healthz");
    expect(body.mail).toEqual({ waiting: 1, oldest_created_at: expect.any(String) });
  });
});
