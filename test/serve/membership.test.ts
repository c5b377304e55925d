import { afterAll, expect, it } from "vitest";

import { loadConfig } from "../../server/config/load.ts";
import { silentLog } from "../../server/core/log.ts";
import { joinStore } from "../../server/serve/membership.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { liveNodes, nodeKey } from "../../server/storage/nodes.ts";
import { OWN_PART } from "../../server/storage/own.ts";
import { createTestClock } from "../harness.ts";
import { createCleanup, makeFolder } from "./outside.ts";

const DAY_MS = 86_400_000;
const cleanup = createCleanup();
afterAll(() => cleanup.run());

it("a process that starts removes what killed ones left, of which none would otherwise, and no halted one", async () => {
  const clock = createTestClock();
  const store = createMemoryDriver({ clock });
  const loaded = await loadConfig({
    cwd: await makeFolder(cleanup),
    env: {},
    settings: { storage: { driver: store } },
  });
  const join = (id: string) => joinStore({ loaded, store, clock, log: silentLog }, id);
  const nodes = async () => (await store.page(OWN_PART, "nodes", { limit: 10 })).items.map(({ key }) => key);
  // Never left: killed.
  const killed = ["node_a", "node_b", "node_c"];
  for (const id of killed) {
    const node = { id, host: "h", pid: 1, started_at: "2026-06-01T09:00:00Z", seen_ms: clock.now() };
    await store.commit(OWN_PART, [{ put: nodeKey(id), value: JSON.stringify(node) }]);
    clock.advance(DAY_MS / 2);
  }
  clock.advance(1);
  const { leave } = await join("node_d");
  expect(await nodes()).toEqual([nodeKey("node_c"), nodeKey("node_d")]);
  expect((await liveNodes(store, clock.now())).map(({ id }) => id)).toEqual(["node_d"]);
  await leave();
  expect(await nodes()).toEqual([nodeKey("node_c")]);
});
