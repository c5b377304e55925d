import { afterAll, beforeAll, expect, it } from "vitest";

import { indexEntries, toText } from "../../../../server/core/collection.ts";
import { invertedOrder } from "../../../../server/core/ids.ts";
import { rescanFiles } from "../../../../server/engines/forms/jobs.ts";
import { files } from "../../../../server/engines/forms/repository.ts";
import { createShop, plain } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

/** As every version files what was never scanned again: newest first. */
const entryOf = (id: string): string => `@${invertedOrder(id)}~${id}`;
const entries = async (): Promise<string[]> => {
  const { items } = await shop.harness.store.page(shop.part, "ix.forms.files.unscanned", { limit: 500 });
  return items.map(({ key }) => key.split(":")[2] ?? "");
};

it("scans a file behind more than a run takes that the scanner cannot read, all stored by an earlier version", async () => {
  const { harness, part } = shop;
  const { services, store } = harness;
  const form = await shop.form(plain({ fields: [{ key: "photos", type: "file", label: "Photos" }] }));
  const file = { name: "a.txt", content: Buffer.from("soup").toString("base64") };
  const sent = await shop.page("POST", `/${form}/uploads`, { field: "photos", file });
  const { id } = sent.json.data;
  const pending = await services.runTx(part, async (tx) => {
    const stored = await tx.require(files, id);
    return tx.put(files, stored, { ...stored.value, scan: "pending" }).value;
  });
  const unread = Array.from({ length: 250 }, (_, n) => `upl_7Z${String(n).padStart(24, "0")}`);
  for (let start = 0; start < unread.length; start += 50)
    await store.commit(
      part,
      unread.slice(start, start + 50).flatMap((other) => [
        {
          put: `${part}:forms.files:${other}`,
          value: toText(files, { ...pending, id: other, bytes: 0, chunks: 0 }),
        },
        { put: `${part}:ix.forms.files.unscanned:${entryOf(other)}`, value: "1" },
      ]),
    );
  expect(await entries()).toEqual([...unread.toReversed(), id].map(entryOf));

  let scans = 0;
  const rescan = async () => {
    scans = 0;
    return shop.run(rescanFiles, {
      scan: async (bytes) => {
        scans += 1;
        return new TextDecoder().decode(bytes) === "soup" ? "clean" : "pending";
      },
    });
  };
  expect(await rescan()).toEqual({ scanned: 0 });
  // What was not scanned in this run is first now, and each is listed once.
  const after = await entries();
  expect(after).toHaveLength(251);
  expect(new Set(after.map((entry) => entry.split("~")[1]))).toEqual(new Set([...unread, id]));
  expect(after.slice(0, 51)).toEqual([...unread.slice(0, 50).toReversed(), id].map(entryOf));

  harness.clock.advance(300_000);
  expect(await rescan()).toEqual({ scanned: 1 });
  const left = await services.runTx(part, (tx) => tx.getAll(files, unread));
  const computed = left.flatMap((one) => (one === null ? [] : indexEntries(files, one.value)));
  expect(await entries()).toEqual(
    computed.flatMap(([index, entry]) => (index.endsWith("unscanned") ? [entry] : [])).toSorted(),
  );

  // The clock of test data need not move between runs.
  expect(await rescan()).toEqual({ scanned: 0 });
  expect(scans).toBe(200);
});
