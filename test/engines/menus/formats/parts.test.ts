import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  exponentOf,
  scaleDown,
  scaleUp,
  toDecimal,
  toDecimalText,
  toMinor,
} from "../../../../server/engines/menus/formats/decimal.ts";
import {
  codeOfWord,
  DELIVERECT_TAGS,
  isGroup,
  OTTER_TAGS,
  SQUARE_TAGS,
  UBER_TAGS,
  widening,
  wordsOf,
} from "../../../../server/engines/menus/formats/food-tags.ts";
import { toLocale, toLowerLocale } from "../../../../server/engines/menus/formats/locale.ts";
import { createLosses } from "../../../../server/engines/menus/formats/losses.ts";
import { createNames, idOfRef, isOwnId } from "../../../../server/engines/menus/formats/names.ts";
import { readSpans } from "../../../../server/engines/menus/formats/read-hours.ts";
import { slug } from "../../../../server/engines/menus/formats/json-ld.ts";
import { noteUnknownMembers } from "../../../../server/engines/menus/formats/unknown-members.ts";
import {
  canonicalRules,
  DAYS,
  minutesOf,
  toDaySpans,
  toRules,
} from "../../../../server/engines/menus/formats/week.ts";
import type { WeekRule } from "../../../../server/engines/menus/formats/week.ts";

describe("decimals", () => {
  it.each([
    [19.99, "GBP", 1999, true],
    [0.1 + 0.2, "GBP", 30, false],
    [8, "JPY", 8, true],
    [8.5, "JPY", 9, false],
    [1.005, "GBP", 101, false],
    [1.2345, "KWD", 1235, false],
    ["0.750", "KWD", 750, true],
  ])("%s %s is %s minor units (exact: %s)", (amount, currency, minor, exact) => {
    expect(toMinor(amount, currency)).toEqual({ minor, exact });
  });

  it.each([
    [950, "GBP", "9.50"],
    [1200, "JPY", "1200"],
    [750, "KWD", "0.750"],
    [0, "USD", "0.00"],
  ])("%s of %s is written %s", (minor, currency, text) => {
    expect(toDecimalText(minor, currency)).toBe(text);
  });

  it("go out and come back as they were", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fc.constantFrom("GBP", "JPY", "KWD", "CLF"), (minor, currency) => {
        const written = JSON.parse(JSON.stringify(toDecimal(minor, currency)));
        expect(toMinor(written, currency)).toEqual({ minor, exact: true });
      }),
    );
  });

  it("scale E2 and E5 notation", () => {
    expect([scaleUp(12.75, 2), scaleDown(1275, 2), scaleUp(540, 5), scaleDown(54_000_000, 5)]).toEqual([
      1275, 12.75, 54_000_000, 540,
    ]);
    expect([exponentOf("GBP"), exponentOf("ISK"), exponentOf("TND")]).toEqual([2, 0, 3]);
  });
});

describe("weeks", () => {
  it.each<[string, WeekRule[], WeekRule[]]>([
    ["nothing", [], []],
    [
      "past midnight",
      [{ days: ["fri"], start: "22:00", end: "02:00" }],
      [{ days: ["fri"], start: "22:00", end: "02:00" }],
    ],
    [
      "Sunday into Monday",
      [{ days: ["sun"], start: "22:00", end: "02:00" }],
      [{ days: ["sun"], start: "22:00", end: "02:00" }],
    ],
    [
      "all of every day",
      [{ days: [...DAYS], start: "00:00", end: "00:00" }],
      [{ days: [...DAYS], start: "00:00", end: "00:00" }],
    ],
    [
      "overlaps joined",
      [
        { days: ["mon"], start: "08:00", end: "12:00" },
        { days: ["mon"], start: "11:00", end: "14:00" },
      ],
      [{ days: ["mon"], start: "08:00", end: "14:00" }],
    ],
    [
      "until midnight",
      [{ days: ["mon"], start: "18:00", end: "00:00" }],
      [{ days: ["mon"], start: "18:00", end: "00:00" }],
    ],
    [
      "more than a day",
      [
        { days: ["fri"], start: "20:00", end: "00:00" },
        { days: ["sat"], start: "00:00", end: "00:00" },
        { days: ["sun"], start: "00:00", end: "03:00" },
      ],
      [
        { days: ["fri"], start: "20:00", end: "00:00" },
        { days: ["sat"], start: "00:00", end: "00:00" },
        { days: ["sun"], start: "00:00", end: "03:00" },
      ],
    ],
  ])("%s", (_, rules, canonical) => {
    expect(canonicalRules(rules)).toEqual(canonical);
  });

  it("cuts at midnight", () => {
    expect(toDaySpans([{ days: ["sun"], start: "22:00", end: "02:00" }])).toEqual([
      { day: "mon", from: 0, to: 120 },
      { day: "sun", from: 1320, to: 1440 },
    ]);
  });

  const time = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([h, m]) => `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}`);
  const rules = fc.array(
    fc.record({ days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 }), start: time, end: time }),
    { maxLength: 5 },
  );
  /** Which minutes of the week are open, worked out one by one. */
  const minutes = (all: readonly WeekRule[]): Set<number> => {
    const open = new Set<number>();
    for (const { days, start, end } of all) {
      for (const day of days) {
        const from = minutesOf(start);
        const to = minutesOf(end) > from ? minutesOf(end) : minutesOf(end) + 1_440;
        for (let at = from; at < to; at += 1) open.add((DAYS.indexOf(day) * 1_440 + at) % 10_080);
      }
    }
    return open;
  };

  it("stay open at the same minutes, cut and joined", () => {
    fc.assert(
      fc.property(rules, (all) => {
        const spans = toDaySpans(all);
        expect(spans.every(({ from, to }) => from >= 0 && from < to && to <= 1_440)).toBe(true);
        const joined = toRules(spans);
        expect(minutes(joined)).toEqual(minutes(all));
        expect(canonicalRules(joined)).toEqual(joined);
      }),
    );
  });

  it("read other systems' ends: 23:59 as midnight, which is told, and an earlier end as the next day", () => {
    const losses = createLosses();
    const at = (start: string, end: string) => readSpans([{ path: ["x"], day: "fri", start, end }], losses);
    expect(at("9:00:00", "23:59:00")).toEqual([{ days: ["fri"], start: "09:00", end: "00:00" }]);
    expect(losses.list()).toHaveLength(1);
    expect(at("17:00", "01:00")).toEqual([{ days: ["fri"], start: "17:00", end: "01:00" }]);
    expect(at("00:00", "24:00")).toEqual([{ days: ["fri"], start: "00:00", end: "00:00" }]);
    expect(() => at("9 am", "17:00")).toThrow();
  });
});

describe("food words", () => {
  it.each([
    ["square", SQUARE_TAGS],
    ["deliverect", DELIVERECT_TAGS],
    ["otter", OTTER_TAGS],
    ["uber", UBER_TAGS],
  ])("%s: every word means one code", (_, tags) => {
    const words = Object.values<string | number>(tags.allergens);
    expect(new Set(words).size).toBe(words.length);
    for (const [code, word] of Object.entries<string | number>(tags.allergens)) {
      expect(codeOfWord(tags.allergens, word)).toBe(code);
    }
  });

  it("fall back on the next wider word, which is told", () => {
    expect(widening("spelt")).toEqual(["spelt", "wheat", "gluten"]);
    expect(widening("cod")).toEqual(["cod", "fish"]);
    expect([isGroup("gluten"), isGroup("tree_nuts"), isGroup("milk")]).toEqual([true, true, false]);
    const losses = createLosses();
    const contains = ["spelt", "almond", "milk", "chestnut"];
    const facts = new Map([["prd", { contains, may_contain: ["egg", "soy"], diets: ["vegan", "low_fat"] }]]);
    expect(wordsOf(SQUARE_TAGS, facts, "prd", { losses, path: ["items", "i"] })).toEqual({
      allergens: ["GLUTEN", "TREE_NUTS", "MILK"],
      diets: ["VEGAN"],
    });
    expect(losses.list().map(({ reason }) => reason)).toEqual([
      "That it may contain egg, soy is not exported.",
      "spelt is exported as GLUTEN.",
      "almond is exported as TREE_NUTS.",
      "The format has no equivalent of chestnut.",
      "The format has no equivalent of low_fat.",
    ]);
  });

  it("say nothing of a product that nobody verified", () => {
    const losses = createLosses();
    expect(wordsOf(UBER_TAGS, new Map(), "prd", { losses, path: ["items", "i"] })).toEqual({
      allergens: [],
      diets: [],
    });
    expect(losses.list()[0]?.path).toBe("/items/i/product_id");
    expect(wordsOf(UBER_TAGS, new Map(), null, { losses, path: ["items", "j"] }).allergens).toEqual([]);
    expect(losses.list()).toHaveLength(1);
  });
});

describe("losses", () => {
  it("tell the same at many places once, with a count", () => {
    const losses = createLosses(["items"]);
    losses.add(["items", "a", "x"], "No.");
    losses.add(["items", "b", "x"], "No.");
    losses.add(["list", 3, "a/b"], "No.");
    expect(losses.list()).toEqual([
      { path: "/items/*/x", reason: "No.", severity: "content", count: 2 },
      { path: "/list/3/a~1b", reason: "No.", severity: "content", count: 1 },
    ]);
  });

  it("are bounded, and nothing is lost from the count", () => {
    const losses = createLosses();
    for (let at = 0; at < 1_000; at += 1) losses.add([`m${at}`], "No.");
    const all = losses.list();
    expect(all).toHaveLength(200);
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  });

  it("are noted for unknown members at any depth, but not for empty ones", () => {
    const losses = createLosses();
    const shape = z.looseObject({
      a: z.array(z.looseObject({ b: z.string().nullish() })).nullish(),
      m: z.record(z.string(), z.looseObject({})),
    });
    noteUnknownMembers(
      shape,
      { a: [{ b: "x", c: 1, d: null, e: "", f: [], g: {} }], m: { k: { z: 0 } }, h: false },
      losses,
    );
    expect(losses.list().map(({ path }) => path)).toEqual(["/a/0/c", "/m/k/z", "/h"]);
  });
});

describe("names", () => {
  it("are the same for the same ref of the same system, and for no other", () => {
    expect(idOfRef("uber", "item", "muffin")).toBe(idOfRef("uber", "item", "muffin"));
    const others = [
      idOfRef("otter", "item", "muffin"),
      idOfRef("uber", "modifier", "muffin"),
      idOfRef("uber", "item", "Muffin"),
    ];
    expect(new Set([idOfRef("uber", "item", "muffin"), ...others]).size).toBe(4);
    expect(isOwnId("item", idOfRef("uber", "item", "muffin"))).toBe(true);
    expect(isOwnId("modifier", idOfRef("uber", "item", "muffin"))).toBe(false);
  });

  it("keep what is found", () => {
    const names = createNames("uber", (_, ref) => (ref === "known" ? "itm_1" : null));
    expect(names.id("item", "known")).toBe("itm_1");
    expect(names.id("item", "new")).toBe(idOfRef("uber", "item", "new"));
  });

  it("make codes and language tags of words", () => {
    expect([slug("ON THE SIDE", "x"), slug("Crème fraîche!", "x"), slug("豆腐", "x")]).toEqual([
      "on-the-side",
      "creme-fraiche",
      "x",
    ]);
    expect(["en_us", "en", "zh_hant_tw", "es-419", "default", "e"].map(toLocale)).toEqual([
      "en-US",
      "en",
      "zh-Hant-TW",
      "es-419",
      null,
      null,
    ]);
    expect(toLocale(toLowerLocale("zh-Hant-TW"))).toBe("zh-Hant-TW");
  });
});
