import { readdirSync, readFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { linesOf, readSold } from "./read-back.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

/*
 * Documents in the shapes that vendors publish (see README.md next to them), each imported into an empty store and read
 * back over HTTP. The truth next to a document was written by hand before its first import.
 */
const FOLDER = new URL("../documents/", import.meta.url);
const VENDORS = ["square", "toast", "deliverect", "uber", "otter"] as const;

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe.each(VENDORS)("documents of %s", (vendor) => {
  const names = readdirSync(new URL(vendor, FOLDER))
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length));

  it("are five at least", () => {
    expect(names.length).toBeGreaterThanOrEqual(5);
  });

  it.each(names)("%s", async (name) => {
    const read = (end: string): string => readFileSync(new URL(`${vendor}/${name}.${end}`, FOLDER), "utf8");
    const [head = "", ...truth] = read("txt").trimEnd().split("\n");
    const [, currency = "", format = vendor, location] =
      /^import (\w{3})(?: (deliverect_menu))?(?: location (\w+))?$/.exec(head) ?? [];
    const answer = await shop.post("/import", {
      format,
      data: JSON.parse(read("json")),
      currency,
      locale: "en",
      stock: "apply",
      ...(location === undefined ? {} : { location_id: location }),
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.data.complete).toBe(true);
    const losses = answer.json.data.warnings
      .filter(({ severity }: { severity: string }) => severity !== "content")
      .map(({ severity, path }: { severity: string; path: string }) => `lost ${severity} ${path}`);
    const money = losses.filter((line: string) => line.startsWith("lost money"));
    // Money is reported first.
    expect(losses.slice(0, money.length)).toEqual(money);
    const sorted = [...new Set(losses)].sort(
      (a, b) => rank(String(a)) - rank(String(b)) || (String(a) < String(b) ? -1 : 1),
    );
    expect([...linesOf(await readSold(shop), currency), ...sorted]).toEqual(truth);
  });
});

const rank = (line: string): number => (line.startsWith("lost money") ? 0 : 1);
