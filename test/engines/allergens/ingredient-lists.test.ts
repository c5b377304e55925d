import { readFileSync } from "node:fs";

import { expect, it } from "vitest";
import { z } from "zod";

import { readFoods } from "../../../server/engines/allergens/rules/read-foods.ts";
import { widerOf } from "../../../server/engines/allergens/rules/taxonomy.ts";

/** The fourteen of Annex II of Regulation (EU) 1169/2011, each as the widest code that covers it. */
const FOURTEEN = [
  "gluten",
  "crustacean",
  "egg",
  "fish",
  "peanut",
  "soy",
  "milk",
  "nuts",
  "celery",
  "mustard",
  "sesame",
  "sulphites",
  "lupin",
  "mollusc",
];
// Names and lists as menus and packs have them in English, French and German, with what each contains set by hand.
const lists = z
  .array(z.strictObject({ text: z.string(), contains: z.array(z.enum(FOURTEEN)) }))
  .parse(JSON.parse(readFileSync(new URL("./data/ingredient-lists.json", import.meta.url), "utf8")));

it("reads the fourteen allergens from names and lists with a recall of 0.99", () => {
  const figures = { found: 0, missed: 0, extra: 0 };
  const misses: string[] = [];
  for (const { text, contains } of lists) {
    const read = new Set(readFoods(text).flatMap(({ codes }) => codes.flatMap((code) => [...widerOf(code)])));
    const missed = contains.filter((code) => !read.has(code));
    figures.found += contains.length - missed.length;
    figures.missed += missed.length;
    figures.extra += FOURTEEN.filter((code) => read.has(code) && !contains.includes(code)).length;
    misses.push(...missed.map((code) => `${code} in ${text}`));
  }
  const recall = figures.found / (figures.found + figures.missed);
  const precision = figures.found / (figures.found + figures.extra);
  console.info(`${lists.length} lists: recall ${recall.toFixed(4)}, precision ${precision.toFixed(4)}`);
  expect(lists.length).toBeGreaterThanOrEqual(400);
  expect(recall, misses.join("\n")).toBeGreaterThanOrEqual(0.99);
  expect(precision).toBeGreaterThanOrEqual(0.95);
});
