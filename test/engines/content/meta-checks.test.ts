import { expect, it } from "vitest";

import { metaChecks } from "../../../server/engines/content/rules/seo-score.ts";
import { measureTitle } from "../../../server/lib/text/title-width.ts";
import { factsWith } from "./facts.ts";

const statusOf = (id: string, members: object) =>
  metaChecks(factsWith("meta", members)).find((check) => check.id === id)?.status;

it.each([
  ["m1", { titlePx: 0 }, "bad"],
  ["m1", { titlePx: 1 }, "ok"],
  ["m1", { titlePx: 199.9 }, "ok"],
  ["m1", { titlePx: 200 }, "good"],
  ["m1", { titlePx: 600 }, "good"],
  ["m1", { titlePx: 600.1 }, "bad"],
  ["m3", { slugChars: 75 }, "good"],
  ["m3", { slugChars: 76 }, "bad"],
  ["m4", { canonical: "elsewhere" }, "ok"],
  ["m4", { canonical: "invalid" }, "bad"],
  ["m4", { isIndexable: false }, "bad"],
  ["m4", { isSnippetAllowed: false, canonical: "elsewhere" }, "bad"],
  ["m4", {}, "good"],
])("%s with %j is %s", (id, members, status) => expect(statusOf(id, members)).toBe(status));

it.each([
  ["Sourdough bread delivery in London | Crumb", 400.4, "good"],
  ["Bread", 53.6, "ok"],
])("A9: the title %s is %f px wide, %s", async (title, px, status) => {
  const titlePx = await measureTitle(title);
  expect(titlePx).toBeCloseTo(px, 1);
  expect(statusOf("m1", { titlePx })).toBe(status);
});

it.each([
  [0, "bad"],
  [1, "ok"],
  [120, "ok"],
  [121, "good"],
  [156, "good"],
  [157, "ok"],
])("A10: a meta description of %i characters is %s", (descriptionChars, status) =>
  expect(statusOf("m2", { descriptionChars })).toBe(status),
);
