import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { productVersions } from "../../../../server/engines/allergens/repository.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let id: string;
beforeEach(async () => {
  shop = await createShop();
  id = await shop.verified('=Loaf, "seeded"', [{ name: "wheat flour", contains: ["wheat"] }]);
  await shop.put(`/products/${id}/ingredients?apply=true`, {
    ingredients: [{ name: "butter", contains: ["milk"] }],
  });
});
afterEach(() => shop.harness.close());

const sheet = async () => (await shop.get(`/products/${id}/history-sheet`)).json.data.rows;
const verify = async (row: { hash: string; signature: string }, entries: number) => {
  const { hash, signature } = row;
  const answer = await shop.post(`/products/${id}/history/verify`, { entries, hash, signature });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
};

describe("the history as a signed sheet", () => {
  it("has every change, the oldest first, and verifies", async () => {
    const rows = await sheet();
    expect(
      rows.map(({ revision, change }: { revision: number; change: string }) => [revision, change]),
    ).toEqual([
      [1, "created"],
      [2, "verified"],
      [3, "ingredients_changed"],
    ]);
    for (const [index, row] of rows.entries()) {
      expect(await verify(row, index + 1)).toEqual({ genuine: true, unchanged: true, entries: 3 });
    }
  });

  it("stays true as the history grows and after the product is deleted", async () => {
    const before = await sheet();
    await shop.remove(`/products/${id}`);
    expect(await verify(before[2], 3)).toEqual({ genuine: true, unchanged: true, entries: 4 });
    expect((await sheet()).slice(0, 3)).toEqual(before);
  });

  it("shows a forged row, and one of another product or position", async () => {
    const rows = await sheet();
    expect(await verify({ ...rows[0], hash: rows[1].hash }, 1)).toMatchObject({
      genuine: false,
      unchanged: false,
    });
    expect(await verify(rows[0], 2)).toMatchObject({ genuine: false, unchanged: false });
    const other = await shop.verified("Bun", [{ name: "wheat flour", contains: ["wheat"] }]);
    const { hash, signature } = rows[0];
    const answer = await shop.post(`/products/${other}/history/verify`, { entries: 1, hash, signature });
    expect(answer.json.data).toMatchObject({ genuine: false, unchanged: false });
  });

  it("shows that a stored entry was rewritten, from there on", async () => {
    const rows = await sheet();
    const { runTx } = shop.harness.services;
    await runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      const [entry] = (
        await tx.peekPage(productVersions, { index: "product", value: id, limit: 10 })
      ).items.filter(({ value }) => value.revision === 2);
      const stored = await tx.require(productVersions, entry?.id ?? "");
      tx.put(productVersions, stored, { ...stored.value, by: "Somebody else" });
    });
    expect(await verify(rows[0], 1)).toMatchObject({ genuine: true, unchanged: true });
    expect(await verify(rows[1], 2)).toMatchObject({ genuine: true, unchanged: false });
    expect(await verify(rows[2], 3)).toMatchObject({ genuine: true, unchanged: false });
  });

  it("is a CSV that no spreadsheet runs, and a page", async () => {
    const csv = (await shop.get(`/products/${id}/history-sheet?format=csv`)).text;
    const [head, first] = csv.split("\r\n");
    expect(head).toContain("revision,at,change,by,note,title");
    expect(first).toContain(`"'=Loaf, ""seeded"""`);
    const page = await shop.get(`/products/${id}/history-sheet?format=html`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.text).toContain((await sheet())[2].signature);
  });

  it("404 for a product that never was", async () => {
    expect(refusal(await shop.get("/products/prd_01JD8Z5T9QK3M4N5P6R7S8T9V9/history-sheet"))).toBe("404");
  });
});
