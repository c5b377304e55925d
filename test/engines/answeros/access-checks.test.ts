import { describe, expect, it } from "vitest";

import { accessChecks } from "../../../server/engines/answeros/rules/access-checks.ts";
import { ANSWER_BOTS } from "../../../server/engines/answeros/data/bots.ts";
import { factsOf, URL_OF_PAGE } from "./fixture.ts";

async function points(
  head: string,
  more: { url?: string | null; robots?: Record<string, boolean> | null } = {},
) {
  const facts = await factsOf("<p>Bread.</p>", head);
  const { url = URL_OF_PAGE, robots = {} } = more;
  return accessChecks({ facts, url, robots }).map((check) => (check.status === "na" ? null : check.points));
}
const robots = (rules: string) => `<meta name="robots" content="${rules}">`;
const canonical = (url: string) => `<link rel="canonical" href="${url}">`;

describe("A1–A4", () => {
  it.each([
    ["nothing forbids anything", "", [5, 4, 4, 2]],
    ["noindex", robots("noindex"), [0, 4, 4, 2]],
    ["none", robots("none"), [0, 4, 4, 2]],
    ["nosnippet", robots("nosnippet"), [5, 0, 4, 2]],
    ["max-snippet 49", robots("max-snippet:49"), [5, 0, 4, 2]],
    ["max-snippet 50", robots("max-snippet:50"), [5, 4, 4, 2]],
    ["max-snippet -1", robots("max-snippet:-1"), [5, 4, 4, 2]],
    ["its own address", canonical(URL_OF_PAGE), [5, 4, 4, 2]],
    ["its own address with a slash", canonical(`${URL_OF_PAGE}/`), [5, 4, 4, 2]],
    ["a relative own address", canonical("/sourdough"), [5, 4, 4, 2]],
    ["another address", canonical("https://crumb.example/other"), [5, 4, 4, 0]],
    ["another host", canonical("https://copy.example/sourdough"), [5, 4, 4, 0]],
  ])("%s", async (_, head, expected) => expect(await points(head)).toEqual(expected));

  it.each(ANSWER_BOTS.map((_, count) => [count, 4 - 0.8 * count] as const))(
    "with %i crawlers refused A3 is %d",
    async (count, expected) => {
      const refused = Object.fromEntries(ANSWER_BOTS.slice(0, count).map((bot) => [bot, false]));
      expect((await points("", { robots: refused }))[2]).toBeCloseTo(expected, 9);
    },
  );

  it("A3 does not apply while robots.txt is not known", async () => {
    expect((await points("", { robots: null }))[2]).toBeNull();
  });

  it("A4 compares nothing without an address", async () => {
    expect((await points(canonical("https://crumb.example/other"), { url: null }))[3]).toBe(2);
  });

  it("names what to mend only where points are lost", async () => {
    const facts = await factsOf("<p>Bread.</p>", robots("noindex"));
    const fixes = accessChecks({ facts, url: URL_OF_PAGE, robots: {} }).map(({ fix }) => fix);
    expect(fixes.map((fix) => fix === null)).toEqual([false, true, true, true]);
  });
});
