import { afterEach, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
afterEach(() => harness.close());

it("503 for data that a newer version of the platform wrote, in lists and single reads, never a bare 500", async () => {
  harness = await createHarness();
  const key = await harness.key();
  const call = (method: string, path: string, body?: unknown) =>
    harness.call(method, `/v1/delivery/calendars${path}`, { key, body });
  const body = { name: "Market", events: [{ date: "2026-09-12", title: "Market" }] };
  const { id } = (await call("POST", "", body)).json.data;
  const part = storePartition(key.storeId, "live");
  const stored = await harness.store.get(`${part}:delivery.calendars:${id}`);
  const newer = stored?.value.replace(/"schema_version":\d+/, '"schema_version":99') ?? "";
  await harness.store.commit(part, [{ put: `${part}:delivery.calendars:${id}`, value: newer }]);
  for (const answer of [await call("GET", ""), await call("GET", `/${id}`), await call("DELETE", `/${id}`)])
    expect([answer.status, answer.headers.get("retry-after"), answer.json.error.detail]).toEqual([
      503,
      "30",
      "This data was written by a newer version of the platform than the one that serves this request. Upgrade this node.",
    ]);
});
