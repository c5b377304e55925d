import { DAY_MS } from "../../../lib/instant.ts";
import type { PageFacts } from "../../../lib/text/model.ts";
import type { Check } from "../schema.ts";
import { checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";
import { valuesAt } from "./json-ld.ts";
import { nodesOf } from "./json-ld.ts";
import { parseMarkup } from "./validate-markup.ts";

/** Age of the page's stated modification date. Future dates are ignored. */
export function freshnessCheck({ facts, now }: Pick<ScoreInput, "facts" | "now">): Check {
  const modified = modifiedAt(facts, now);
  const days = modified === null ? null : Math.floor((now - modified) / DAY_MS);
  return checkOf({
    id: "D1",
    component: "freshness",
    title: "Recently updated",
    points: days === null ? 0 : days <= 90 ? 10 : days <= 180 ? 7 : days <= 365 ? 4 : 0,
    max: 10,
    evidence: days === null ? "The page has no modification date." : `Modified ${days} days ago.`,
    fix: "Review the page, and show its modification date in the text and as dateModified.",
  });
}

/** The latest stated modification date up to now; epoch milliseconds. */
export function modifiedAt(facts: PageFacts, now: number): number | null {
  const modified = [
    ...facts.json_ld.flatMap((text) =>
      nodesOf(parseMarkup(text)).flatMap(({ value }) =>
        valuesAt(value, "dateModified").map((entry) => entry.value),
      ),
    ),
    facts.properties["article:modified_time"],
    facts.properties["og:updated_time"],
    ...facts.times,
  ];
  const dates = modified
    .map((text) => (typeof text === "string" ? Date.parse(text) : Number.NaN))
    .filter((date) => !Number.isNaN(date) && date <= now);
  return dates.length === 0 ? null : Math.max(...dates);
}
