import { afterAll, beforeAll, expect, it } from "vitest";

import { longestCall, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Tables with long rows of empty cells: as rows by name they have many times the characters of the request.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

/** A table of some columns with long names after the known ones, and rows in which only those have a value. */
function wide(columns: number, chars: number, rows: number, known = { names: "", row: "" }): string {
  const names = known.names === "" ? [] : known.names.split(",");
  const others = many(columns - names.length, (n) => `c${n}_`.padEnd(chars, "x"));
  const row = `${known.row}${",".repeat(columns - Math.max(1, names.length))}\n`;
  return `${[...names, ...others].join(",")}\n${row.repeat(rows)}`;
}

it.each([
  ["many", 1_900, 100, 350],
  ["long", 1_000, 390, 490],
])(
  "observations with columns of which %s are not known",
  async (_, columns, chars, rows) => {
    const csv = wide(columns, chars, rows);
    expect(await longestCall(shop, ["POST", "/observations/imports", { csv }], 200)).toBeLessThan(TURN_MS);
    const answer = await shop.call("POST", "/observations/imports", { csv });
    expect(answer.json.data).toMatchObject({ rejected: rows, created: 0 });
  },
  60_000,
);

it("a log with many columns counts as one with few; long names of columns are refused", async () => {
  const known = { names: "date,path,status,user_agent", row: "2026-06-01,/a,200,GPTBot" };
  const counted = await shop.call("POST", "/crawler-logs", { log: wide(1_000, 100, 300, known) });
  expect(counted.json.data).toMatchObject({ lines: 300, hits: 300 });
  const log = wide(100, 4_000, 300, known);
  expect(await shop.refused("POST", "/crawler-logs", { log })).toEqual([422, "bad_log"]);
});
