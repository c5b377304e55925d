import { describe, expect, it } from "vitest";

import { Problem } from "../../../server/lib/errors.ts";
import { readPage } from "../../../server/lib/text/page.ts";
import { readText } from "../../../server/lib/text/read.ts";

// The work of reading a text grows as its length does, whatever the text is made of: a text of twice the size may take two and a
// half times as long. What is refused costs nothing.

const UNITS = {
  markdown:
    "!|![|[|](|![a](b)|*a |_a_ |`|``a|<|&|a|> |- a\n|# a\n|~|http://a |a@b.c |\\|[a]: b\n|[a]\n|1. a\n|    a\n|a\n=\n|!a|!!a |www.|a**|(|\t|***\n|!]|.|a!b.c+",
  html: "<p>x|<li>x|<ul><li>x|<td>x|<tr>|<table><tr><td>x|<a href=x>y|<img src=x>|&|<|<!|<b>|</p>|<a |<p a=b |<dd>x|<option>|x. |x|1|<h1>x|<br>|<blockquote>x|<meta name=a>|<title>x|<time datetime=1>|<main>|<nav>",
} as const;
const SEED = 20_261_122;
const CHARS = 24_000;
const BOUND = 2.5;

const shapes = (Object.keys(UNITS) as (keyof typeof UNITS)[]).flatMap((format) => {
  const units = UNITS[format].split("|").filter((unit) => unit !== "");
  const draw = drawer(SEED);
  const mixed = Array.from({ length: 12 }, () => `${units[draw(units.length)]}${units[draw(units.length)]}`);
  return [...units, ...mixed].map((unit) => [format, unit] as const);
});

/** Numbers below a bound, the same for the same seed (a linear congruential generator). */
function drawer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

/** CPU milliseconds of reading a text: what other processes do meanwhile does not count. */
async function cost(format: keyof typeof UNITS, unit: string, chars: number): Promise<number> {
  const body = unit.repeat(Math.ceil(chars / unit.length));
  const start = process.cpuUsage();
  try {
    await readText({ body, format, locale: "en" });
    if (format === "html") await readPage({ html: body, url: "https://shop.example/" });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/**
 * How much more twice the text costs, on average over two doublings, in which a quadratic cost shows better than in one;
 * the least of some tries, since a collection of garbage may fall into any of them.
 */
async function growthAt(format: keyof typeof UNITS, unit: string, chars: number): Promise<number> {
  let [small, large] = [Infinity, Infinity];
  for (let tries = 0; tries < 6; tries += 1) {
    small = Math.min(small, await cost(format, unit, chars / 2));
    large = Math.min(large, await cost(format, unit, 2 * chars));
    // A few milliseconds say nothing of growth.
    if (large < 40 || Math.sqrt(large / small) <= BOUND) return Math.min(Math.sqrt(large / small), BOUND);
  }
  return Math.sqrt(large / small);
}

/**
 * The growth, measured again with longer texts where it seems too high: a quadratic cost grows nearer to four times the longer
 * the text is, while what the machine adds by chance weighs less.
 */
async function growth(format: keyof typeof UNITS, unit: string): Promise<number> {
  let least = Infinity;
  for (const chars of [CHARS, 2 * CHARS, 4 * CHARS]) {
    least = Math.min(least, await growthAt(format, unit, chars));
    if (least <= BOUND) break;
  }
  return least;
}

describe("the work of reading", { timeout: 120_000 }, () => {
  it.each(shapes)("grows with the text: %s of %j", async (format, unit) => {
    await cost(format, unit, 1_000);
    expect(await growth(format, unit)).toBeLessThanOrEqual(BOUND);
  });

  it("refuses marks without end in words that a client can act on", async () => {
    const read = readText({ body: "!".repeat(40_000), format: "markdown", locale: "en" });
    await expect(read).rejects.toMatchObject({ options: { code: "text_too_complex" } });
  });
});
