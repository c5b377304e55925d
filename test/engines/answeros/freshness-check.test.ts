import { expect, it } from "vitest";

import { freshnessCheck, modifiedAt } from "../../../server/engines/answeros/rules/freshness-check.ts";
import { DAY_MS, factsOf, NOW } from "./fixture.ts";

const daysAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString();
const meta = (at: string) => `<meta property="article:modified_time" content="${at}">`;

it.each([
  [0, 10],
  [90, 10],
  [91, 7],
  [180, 7],
  [181, 4],
  [365, 4],
  [366, 0],
])("changed %i days ago: %i points", async (days, expected) => {
  const facts = await factsOf("<p>Bread.</p>", meta(daysAgo(days)));
  expect(freshnessCheck({ facts, now: NOW }).points).toBe(expected);
});

it("gives nothing where no date is told", async () => {
  expect(freshnessCheck({ facts: await factsOf("<p>Bread.</p>"), now: NOW }).points).toBe(0);
});

it.each([
  [
    "JSON-LD",
    `<script type="application/ld+json">{"@type":"Article","dateModified":"2026-05-30"}</script>`,
    "",
  ],
  ["a visible date", "", `<time datetime="2026-05-30">30 May</time>`],
  ["og", `<meta property="og:updated_time" content="2026-05-30">`, ""],
])("reads %s", async (_, head, body) => {
  expect(modifiedAt(await factsOf(`<p>Bread. ${body}</p>`, head), NOW)).toBe(Date.parse("2026-05-30"));
});

it("takes the latest that is not ahead", async () => {
  const body = `<p><time datetime="2027-01-01"></time><time datetime="2026-05-01"></time><time datetime="soon"></time></p>`;
  expect(modifiedAt(await factsOf(body, meta("2026-04-01")), NOW)).toBe(Date.parse("2026-05-01"));
});
