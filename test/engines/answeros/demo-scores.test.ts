import { writeFileSync } from "node:fs";

import { expect, it } from "vitest";

import {
  DEMO_PAGES,
  DEMO_ROBOTS,
  DEMO_SITE,
  demoHtml,
} from "../../../server/engines/answeros/data/demo-pages.ts";
import type { DemoPage } from "../../../server/engines/answeros/data/demo-pages.ts";
import { DEMO_QUESTIONS } from "../../../server/engines/answeros/data/demo-questions.ts";
import stored from "../../../server/engines/answeros/data/demo-scored.json" with { type: "json" };
import { metaOf, readFacts, scoreFacts } from "../../../server/engines/answeros/services/facts.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const DAY_MS = 86_400_000;

async function scoreOf(page: DemoPage, isRevised: boolean) {
  const changedOn = new Date(NOW - page.changed_days * DAY_MS).toISOString().slice(0, 10);
  const url = DEMO_SITE + page.path;
  const html = demoHtml(page, changedOn, isRevised);
  const facts = await readFacts({ html, url, locale: "en-GB", x_robots_tag: null });
  const result = await scoreFacts(facts, {
    url,
    page_type: page.page_type,
    entity: page.entity,
    questions: DEMO_QUESTIONS.filter((question) => question.page === page.key).map(({ text }) => text),
    robots_txt: DEMO_ROBOTS,
    now: NOW,
  });
  return { result, meta: { ...metaOf(facts, NOW), date_modified: null } };
}

// A seed is made at once and a page is read in steps, so that the scores of the demo are stored. They are those
// that the rules give: after a change of the rules, run this with UPDATE_DEMO_SCORES=1 and look at the difference.
it("the demo shows the scores that its pages have", async () => {
  const scored: Record<string, unknown> = {};
  for (const page of DEMO_PAGES) {
    const before = await scoreOf(page, false);
    const after = await scoreOf(page, true);
    scored[page.key] = { before: before.result, after: after.result, meta: after.meta };
    expect(after.result.total, page.key).toBeGreaterThan(before.result.total);
  }
  if (process.env["UPDATE_DEMO_SCORES"] === "1") {
    const file = new URL("../../../server/engines/answeros/data/demo-scored.json", import.meta.url);
    writeFileSync(file, `${JSON.stringify(scored, null, 2)}\n`);
    return;
  }
  expect(stored).toEqual(JSON.parse(JSON.stringify(scored)));
});
