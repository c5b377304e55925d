import { afterAll, beforeAll, expect, it } from "vitest";

import { createMemoryDriver } from "../../server/storage/memory.ts";
import { nodeKey } from "../../server/storage/nodes.ts";
import { OWN_PART } from "../../server/storage/own.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness } from "../harness.ts";

// Two services over one store, as two nodes on Redis are: counters and documents are shared, memory is not.
let one: Harness;
let other: Harness;
beforeAll(async () => {
  const store = createMemoryDriver({ clock: createTestClock() });
  const many = { ...store, caps: { ...store.caps, nodes: "many" as const } };
  one = await createHarness({ store: many });
  other = await createHarness({ store: many });
});
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
  one.clock.advance(120_000);
  other.clock.advance(120_000);
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

it("says how many serve the store when a stream begins", async () => {
  for (const id of ["node_1", "node_2"]) {
    const node = { id, host: "h", pid: 1, started_at: "2026-06-01T09:00:00.000Z", seen_ms: one.clock.now() };
    await one.store.commit(OWN_PART, [{ put: nodeKey(id), value: JSON.stringify(node) }]);
  }
  for (const path of ["limits", "logs"]) {
    const stream = await one.app.fetch(
      new Request(`http://platform.test/api/platform/admin/${path}/stream`, {
        headers: { authorization: `Bearer ${one.adminToken}` },
      }),
    );
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("event: ready")) text += (await reader?.read())?.value ?? "";
    expect(text).toMatch(/"type":"ready".*"nodes":2/);
    await reader?.cancel();
  }
});
