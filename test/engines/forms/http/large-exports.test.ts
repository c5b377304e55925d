import { afterAll, beforeAll, expect, it } from "vitest";

import { submissions } from "../../../../server/engines/forms/repository.ts";
import { longestCall, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop, plain } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Lists and exports of many submissions with as much in them as a visitor may send.

const NOTE = [{ key: "note", type: "text", label: "Note" }];

let shop: Shop;
let id: string;
let first: string;
beforeAll(async () => {
  shop = await createShop();
  id = await shop.form(plain({ fields: NOTE }));
  first = (await shop.send(id, { note: "Rye" })).json.data.id;
});
afterAll(() => shop.harness.close());

const copy = async (
  count: number,
  formId: string,
  dataOf: (n: number) => Record<string, string | boolean>,
) => {
  for (const n of Array(count).keys()) {
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const { value } = await tx.require(submissions, first);
      const created_at = `2026-06-01T08:${String(n).padStart(2, "0")}:00.000Z`;
      const own = { id: shop.harness.services.newId("fsb"), created_at, form_id: formId, data: dataOf(n) };
      tx.create(submissions, { ...value, ...own });
    });
  }
};
const longest = (path: string) => longestCall(shop, ["GET", path, undefined], 200);

it("lists and exports long submissions", async () => {
  const form = await shop.form(plain({ name: "Long", slug: "long" }));
  await copy(40, form, () => Object.fromEntries(many(19, (n) => [`text_${n}`, 't, "u" '.repeat(1_250)])));
  const path = `/${form}/submissions`;
  expect(await longest(`${path}?limit=15&from=2026-01-01T00:00:00.000Z`)).toBeLessThan(TURN_MS);
  expect(await longest(`${path}?format=ndjson`)).toBeLessThan(TURN_MS);
  expect(await longest(`${path}?format=csv`)).toBeLessThan(TURN_MS);
}, 60_000);

it("exports submissions of many versions, with the answers to the oldest in one column", async () => {
  const form = await shop.form(plain({ name: "Versions", slug: "versions", fields: NOTE }));
  const keyOf = (n: number, at: number): string => `k${n}_${at}`;
  await copy(60, form, (n) => Object.fromEntries(many(100, (at) => [keyOf(n, at), true])));
  const path = `/${form}/submissions?format=csv`;
  const { text } = await shop.call("GET", path);
  const lines = text.trimEnd().split("\r\n");
  const [head = ""] = lines;
  const columns = head.split(",");
  expect(lines).toHaveLength(61);
  expect(columns).toHaveLength(9 + 1_000 + 1);
  // Newest first: the answers to the newest versions have columns.
  expect(columns.slice(9, 12)).toEqual(["note", keyOf(59, 0), keyOf(59, 1)]);
  expect(columns.at(-1)).toBe("more_answers");
  expect(lines[1]?.endsWith(",")).toBe(true);
  expect(lines.at(-1)).toContain(`""${keyOf(0, 99)}"":true}"`);
  expect(await longest(path)).toBeLessThan(TURN_MS);
}, 60_000);
