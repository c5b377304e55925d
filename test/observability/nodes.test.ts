import { afterAll, beforeAll, expect, it } from "vitest";

import { readEvents } from "../../cli/live/sse.ts";
import type { Relay } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { nodeKey } from "../../server/storage/nodes.ts";
import { OWN_PART } from "../../server/storage/own.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";

// Two services over one store, as two nodes on Redis are: counters and documents are shared, memory is not.
const clock = createTestClock();
let one: Harness;
let other: Harness;
beforeAll(async () => {
  const store = createMemoryDriver({ clock });
  const many = { ...store, caps: { ...store.caps, nodes: "many" as const }, relay: createRelay() };
  one = await createHarness({ store: many });
  other = await createHarness({ store: many });
  for (const node of [one, other]) await node.services.nodes.start();
});
/** Everything that went through the relay. */
const sent: string[] = [];

/** What Redis does for several processes, within one. */
function createRelay(): Relay {
  const hearers = new Set<(channel: string, text: string) => void>();
  return {
    async publish(channel, text) {
      sent.push(text);
      for (const hear of hearers) setImmediate(hear, channel, text);
    },
    async subscribe(channels, hear) {
      const hearer = (channel: string, text: string) => (channels.includes(channel) ? hear(text) : undefined);
      hearers.add(hearer);
      return () => void hearers.delete(hearer);
    },
  };
}

afterAll(() => one.close());

it("lists windows that another node opened, as soon as it wrote down their use", async () => {
  const key = await one.key();
  await one.call("GET", "/v1/delivery/zones", { key });
  await one.call("GET", "/v1/delivery/zones", { key });
  await one.services.usage.flush();
  const own = (await one.admin("GET", "/api/platform/admin/limits")).json.data;
  const seen = (await other.admin("GET", `/api/platform/admin/limits?customer_id=${key.customerId}`)).json
    .data;
  expect(seen).toMatchObject([{ key_id: key.id, used: 2, rejected: 0, route: null }]);
  expect(seen[0].limit).toBe(own[0].limit);
  expect(seen[0].reset).toBe(own[0].reset);
  expect((await other.admin("GET", "/api/platform/admin/limits?customer_id=cus_nobody")).json.data).toEqual(
    [],
  );
  for (const { advance } of [clock, one.clock, other.clock]) advance(120_000);
  expect((await other.admin("GET", "/api/platform/admin/limits")).json.data).toEqual([]);
});

it("finds a refusal that another node stored", async () => {
  const key = await one.key();
  const refused = await one.call("GET", "/v1/delivery/zones/zon_none", { key });
  await one.services.requestLog.flush();
  const id = refused.headers.get("x-request-id");
  const shown = await other.admin("GET", `/api/platform/admin/logs/${id}`);
  expect(shown.json.data).toMatchObject({ request_id: id, key_id: key.id, status: 404 });
});

it("names the nodes when a stream begins, and those that do not respond", async () => {
  const silent = { id: "node_1", host: "h", pid: 1, started_at: "2026-06-01T09:00:00.000Z" };
  const value = JSON.stringify({ ...silent, seen_ms: one.clock.now() });
  await one.store.commit(OWN_PART, [{ put: nodeKey(silent.id), value }]);
  for (const path of ["limits", "logs"]) {
    const { until, cancel } = await openStream(one, path);
    const ready = await until("ready");
    expect(ready).toMatchObject({ type: "ready", silent: ["h:1"] });
    expect(ready["nodes"]).toHaveLength(2);
    await cancel();
  }
});

it("streams what both nodes do in one order, whichever is asked, and never the text of a key", async () => {
  const key = await one.key({ plan: "free" });
  const streams = await Promise.all([one, other].map((node) => openStream(node, "limits")));
  for (const { until } of streams) await until("ready");
  for (let turn = 0; turn < 10; turn += 1) {
    for (const { advance } of [clock, one.clock, other.clock]) advance(5);
    await (turn % 2 === 0 ? one : other).call("GET", "/v1/delivery/zones", { key });
  }
  for (const { until, cancel } of streams) {
    const remaining: unknown[] = [];
    while (remaining.length < 10) remaining.push((await until("update"))["remaining"]);
    expect(remaining).toEqual([59, 58, 57, 56, 55, 54, 53, 52, 51, 50]);
    await cancel();
  }
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.join("\n")).not.toContain(key.plaintext);
});

it("joins what both nodes keep in memory: refusals of a window, latest requests", async () => {
  const key = await one.key({ plan: "free" });
  for (let turn = 0; turn < 62; turn += 1)
    await (turn % 2 === 0 ? one : other).call("GET", "/v1/delivery/zones", { key });
  for (const node of [one, other]) {
    const shown = (await node.admin("GET", `/api/platform/admin/limits/${key.id}`)).json.data;
    expect(shown).toMatchObject({ used: 60, remaining: 0, rejected: 2 });
    const recent = await node.admin("GET", `/api/platform/admin/logs?recent=true&limit=100&key_id=${key.id}`);
    expect(recent.json.data).toHaveLength(62);
  }
});

it("reports that a node ended while its events are streamed", async () => {
  const { until, cancel } = await openStream(one, "logs");
  await until("ready");
  await other.services.nodes.close();
  expect(await until("node")).toMatchObject({ state: "left" });
  await cancel();
});

/** An open event stream; `until` resolves to the next event of a type. */
async function openStream(node: Harness, path: string) {
  const response = await node.app.fetch(
    new Request(`http://platform.test/api/platform/admin/${path}/stream`, {
      headers: { authorization: `Bearer ${node.adminToken}` },
    }),
  );
  const reader = response.body?.getReader();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) return;
      yield value;
    }
  }
  const events = readEvents(chunks())[Symbol.asyncIterator]();
  return {
    async until(type: string): Promise<Record<string, unknown>> {
      for (;;) {
        const { value, done } = await events.next();
        if (done === true) throw new Error("The stream ended.");
        if (value.event === type) return JSON.parse(value.data);
      }
    },
    cancel: async () => reader?.cancel(),
  };
}
