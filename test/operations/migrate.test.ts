import { expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { createHarness } from "../harness.ts";

it("POST /storage/migrate refuses a document of a newer version, and changes nothing", async () => {
  const harness = await createHarness();
  const key = await harness.key();
  const part = storePartition(key.storeId, "live");
  const newer = JSON.stringify({ schema_version: 99, id: "settings" });
  const at = `${part}:tiers.programmes:tpr_later` as const;
  await harness.store.commit(part, [{ put: at, value: newer }]);
  for (const dry_run of [true, false]) {
    const answer = await harness.admin("POST", "/api/platform/admin/storage/migrate", { body: { dry_run } });
    expect([answer.status, answer.json.error.code]).toEqual([409, "newer_version"]);
    expect(answer.json.error.detail).toContain(at);
  }
  expect((await harness.store.get(at))?.value).toBe(newer);
  await harness.close();
});
