import { afterEach, expect, it } from "vitest";

import { idempotencyRecords } from "../../server/http/idempotency.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
afterEach(() => harness.close());

const HOUR_MS = 3_600_000;
const records = async (part: string): Promise<number> =>
  (await harness.store.collections(part)).find(({ name }) => name === idempotencyRecords.name)?.count ?? 0;

it("deletes answers whose time is over, in every store, and keeps the others", async () => {
  harness = await createHarness();
  const keys = [await harness.key(), await harness.key()];
  const parts = keys.map(({ storeId }) => storeId.toLowerCase());
  // Straight into the collection: which route wrote them makes no difference to the sweep.
  const put = (part: string, from: number, to: number, expiresInMs: number): Promise<void> =>
    harness.services.runTx(part, async (tx) => {
      for (let index = from; index < to; index += 1) {
        tx.create(idempotencyRecords, {
          id: `rec${index}`,
          fingerprint: "f",
          status: 200,
          location: null,
          json: "{}",
          item_version: null,
          page: null,
          kind: "value",
          expires_at: new Date(harness.clock.now() + expiresInMs).toISOString(),
        });
      }
    });
  for (const part of [...parts, "platform"]) {
    for (let batch = 0; batch < 3; batch += 1) await put(part, batch * 50, batch * 50 + 50, HOUR_MS + batch);
    await put(part, 200, 210, 3 * HOUR_MS);
  }
  const early = await harness.admin("POST", "/api/platform/admin/jobs/http.sweep-idempotency/run", {
    body: {},
  });
  expect(early.json.data).toMatchObject({ status: "ok", counts: { deleted: 0 } });

  harness.clock.advance(2 * HOUR_MS);
  const run = await harness.admin("POST", "/api/platform/admin/jobs/http.sweep-idempotency/run", {
    body: {},
  });
  expect(run.json.data).toMatchObject({ status: "ok", partitions: 3, counts: { deleted: 450 } });
  expect(await Promise.all([...parts, "platform"].map(records))).toEqual([10, 10, 10]);
});
