import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { historyHeads, productVersions } from "../../../../server/engines/allergens/repository.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import type { Stored, Tx } from "../../../../server/core/tx.ts";
import type { ProductVersion } from "../../../../server/engines/allergens/schema/history.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

type Row = { seq: number; title: string; change: string; intact: boolean; hash: string; signature: string };

let shop: Shop;
let loaf: string;
let bun: string;
beforeEach(async () => {
  shop = await createShop();
  loaf = await shop.verified('=Loaf, "seeded"', [{ name: "wheat flour", contains: ["wheat"] }]);
  bun = await shop.verified("Bun", [{ name: "wheat flour", contains: ["wheat"] }]);
  await shop.put(`/products/${loaf}/ingredients?apply=true`, {
    ingredients: [{ name: "butter", contains: ["milk"] }],
  });
});
afterEach(() => shop.harness.close());

const sheet = async (query = "") => (await shop.get(`/history-sheet${query}`)).json.data;
const rowsOf = async (query = ""): Promise<Row[]> => (await sheet(query)).rows;
const verify = async ({ seq, hash, signature }: Row) => {
  const answer = await shop.post("/history/verify", { seq, hash, signature });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
};

/** Changes the stored entries behind the back of the service. */
const tamper = (change: (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => void | Promise<void>) =>
  shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
    const { items } = await tx.peekPage(productVersions, { index: "chain", limit: 100 });
    const stored = new Map<number, Stored<ProductVersion>>();
    for (const { id, value } of items) stored.set(value.seq ?? 0, await tx.require(productVersions, id));
    await change(tx, (seq) => {
      const entry = stored.get(seq);
      if (entry === undefined) throw new Error(`No entry ${seq}.`);
      return entry;
    });
  });

describe("the history of a store as one signed sheet", () => {
  it("has every change of every product in order, and each row verifies", async () => {
    const { rows, ...rest } = await sheet();
    expect(rest).toEqual({ entries: 5, broken: null, next_after: null });
    expect(rows.map(({ seq, title, change }: Row) => `${seq} ${title} ${change}`)).toEqual([
      '1 =Loaf, "seeded" created',
      '2 =Loaf, "seeded" verified',
      "3 Bun created",
      "4 Bun verified",
      '5 =Loaf, "seeded" ingredients_changed',
    ]);
    for (const row of rows)
      expect(await verify(row)).toEqual({ genuine: true, unchanged: true, entries: 5, broken: null });
  });

  it("holds one product, or what follows an entry", async () => {
    expect((await rowsOf(`?product_id=${bun}`)).map(({ seq }) => seq)).toEqual([3, 4]);
    expect((await rowsOf("?after=3")).map(({ seq, intact }) => [seq, intact])).toEqual([
      [4, true],
      [5, true],
    ]);
  });

  it("stays true as the history grows and after a product is deleted", async () => {
    const before = await rowsOf();
    await shop.remove(`/products/${loaf}`);
    expect(await verify(before[4]!)).toMatchObject({ genuine: true, unchanged: true, entries: 6 });
    expect((await rowsOf()).slice(0, 5)).toEqual(before);
  });

  it("shows a forged row", async () => {
    const [first, second] = await rowsOf();
    expect(await verify({ ...first!, hash: second!.hash })).toMatchObject({
      genuine: false,
      unchanged: false,
    });
    expect(await verify({ ...first!, seq: 2 })).toMatchObject({ genuine: false, unchanged: false });
  });

  it("chains changes that arrive at once, without a gap", async () => {
    const titles = Array.from({ length: 8 }, (_, at) => `Roll ${at}`);
    await Promise.all(titles.map((title) => shop.post("/products", { title })));
    const { entries, broken, rows } = await sheet();
    expect([entries, broken, rows.length]).toEqual([13, null, 13]);
  });
});

describe("tampering with the stored history", () => {
  it.each([
    [
      "a changed entry",
      2,
      (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        tx.put(productVersions, entry(2), { ...entry(2).value, by: "Somebody else" });
      },
    ],
    [
      "a product changed inside an entry",
      4,
      (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        const { value } = entry(4);
        tx.put(productVersions, entry(4), { ...value, product: { ...value.product, declarations: [] } });
      },
    ],
    [
      "a removed entry",
      3,
      (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        tx.remove(productVersions, entry(3));
      },
    ],
    [
      "two entries in each other's place",
      1,
      (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        const [one, two] = [entry(1), entry(2)];
        const { id: _one, ...first } = one.value;
        const { id: _two, ...second } = two.value;
        tx.put(productVersions, one, { ...second, id: one.id, seq: 1 });
        tx.put(productVersions, two, { ...first, id: two.id, seq: 2 });
      },
    ],
    [
      "a removed last entry",
      5,
      (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        tx.remove(productVersions, entry(5));
      },
    ],
    [
      "a removed last entry with its head",
      null,
      async (tx: Tx, entry: (seq: number) => Stored<ProductVersion>) => {
        tx.remove(productVersions, entry(5));
        const head = await tx.require(historyHeads, "head");
        tx.put(historyHeads, head, { ...head.value, seq: 4, hash: entry(4).value.hash ?? "" });
      },
    ],
  ] as const)("shows %s", async (_, seq, change) => {
    const before = await rowsOf();
    await tamper(change);
    const { broken, rows } = await sheet();
    expect(broken?.seq ?? null).toBe(seq);
    for (const row of rows) expect([row.seq, row.intact]).toEqual([row.seq, seq === null || row.seq < seq]);
    // A sheet on file proves it also where the end was rewritten to match.
    expect(await verify(before[4]!)).toMatchObject({ genuine: true, unchanged: false });
    expect(await verify(before[0]!)).toMatchObject({ genuine: true, unchanged: seq !== 1 });
  });
});

describe("formats", () => {
  it("is a CSV that no spreadsheet runs, and a page", async () => {
    const [head, first] = (await shop.get("/history-sheet?format=csv")).text.split("\r\n");
    expect(head).toContain("seq,product_id,title,revision,at,change,by,note");
    expect(first).toContain(`"'=Loaf, ""seeded"""`);
    const page = await shop.get("/history-sheet?format=html");
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.text).toContain((await rowsOf())[4]!.signature);
    expect(page.text).toContain("every entry is as it was written");
  });

  it("says so where the history was altered", async () => {
    await tamper((tx, entry) => tx.remove(productVersions, entry(2)));
    expect((await shop.get("/history-sheet?format=html")).text).toContain("altered at entry 2");
    const csv = (await shop.get("/history-sheet?format=csv")).text.split("\r\n");
    expect(csv[2]).toContain("false");
  });
});
