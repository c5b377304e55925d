import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { writeLlms } from "../rules/llms-txt.ts";
import { crawlerDayId } from "../rules/count-hits.ts";
import type { CrawlerDay, SiteFile } from "../schema/files.ts";
import type { Markup } from "../schema/markup.ts";
import type { Rewrite } from "../schema/rewrite.ts";
import { MARKUP_RULES_AS_OF } from "./markup-rules.ts";
import { DEMO_IDS, DEMO_LOCALE, timesAt } from "./demo-ids.ts";
import { DEMO_PAGES, DEMO_SHOP, DEMO_SITE } from "./demo-pages.ts";
import { validateMarkup } from "../rules/validate-markup.ts";
import { diffTexts } from "../rules/text-diff.ts";

/** Structured data of two demo pages: one published, one that is incomplete. */
export function demoMarkups(now: number): Markup[] {
  const markup = (id: string, key: "sourdough" | "rye", hidden: Markup["parity"]["missing"]): Markup => {
    const page = DEMO_PAGES.find((one) => one.key === key);
    const jsonld = { "@context": "https://schema.org", ...page?.jsonld };
    const { errors, warnings } = validateMarkup(jsonld);
    const unseen = hidden.map(({ path, value }) => ({
      path,
      code: "not_visible" as const,
      severity: "error" as const,
      message: `The page does not contain “${value}”.`,
    }));
    const isFine = errors.length + unseen.length === 0;
    return {
      id,
      ...timesAt(now - 12 * DAY_MS),
      page_id: DEMO_IDS.pages.get(key) ?? "",
      type: "Product",
      jsonld,
      status: isFine ? "published" : "invalid",
      errors: [...errors, ...unseen],
      warnings: [...warnings],
      parity: { checked: true, missing: hidden },
      rules_as_of: MARKUP_RULES_AS_OF,
      origin: "manual",
      revision: 1,
      validated_at: toInstant(now - 12 * DAY_MS),
      published_at: isFine ? toInstant(now - 12 * DAY_MS) : null,
    };
  };
  return [
    markup(DEMO_IDS.draftMarkup, "rye", [{ path: "/name", value: "Dark rye loaf" }]),
    markup(DEMO_IDS.markup, "sourdough", []),
  ];
}

const BEFORE =
  "<p>In order to serve dark rye at its best, it should be sliced thinly. Dark rye is a dense loaf of whole rye.</p>";
const AFTER =
  "<p>Dark rye is a dense loaf of whole rye. To serve dark rye at its best, it should be sliced thinly.</p>";

/** A rewrite that is ready for a decision. */
export const demoRewrites = (now: number): Rewrite[] => [
  {
    id: DEMO_IDS.rewrite,
    ...timesAt(now - 2 * DAY_MS),
    page_id: DEMO_IDS.pages.get("rye") ?? null,
    draft_id: null,
    question: "What is dark rye?",
    locale: DEMO_LOCALE,
    format: "html",
    ops: ["answer_first", "drop_filler"],
    provider: "builtin",
    model: "builtin",
    before: BEFORE,
    after: AFTER,
    diff: diffTexts(BEFORE, AFTER),
    score_before: 37,
    score_after: 48,
    unsupported_claims: [],
    status: "ready",
    error: null,
    usage_id: null,
    applied_revision: null,
    decided_at: null,
    decided_reason: null,
  },
];

export function demoFiles(now: number): SiteFile[] {
  const links = DEMO_PAGES.map(({ entity, path, description }) => ({
    name: entity,
    url: DEMO_SITE + path,
    notes: description,
  }));
  return [
    {
      id: "llms.txt",
      updated_at: toInstant(now - 10 * DAY_MS),
      content: writeLlms({
        name: DEMO_SHOP,
        summary: "A bakery and roastery in south London.",
        sections: [{ title: "Pages", links }],
      }),
      content_type: "text/plain; charset=utf-8",
      origin: "generated",
      warnings: [],
    },
  ];
}

const VISITS: readonly (readonly [bot: string, path: string, hits: number])[] = [
  ["Googlebot", "/bread/hackney-sourdough", 9],
  ["OAI-SearchBot", "/bread/hackney-sourdough", 4],
  ["PerplexityBot", "/delivery", 2],
  ["GPTBot", "/robots.txt", 1],
];

/** A week of crawler requests. */
export const demoCrawlerDays = (now: number): CrawlerDay[] =>
  [1, 2, 3, 4, 5, 6, 7].flatMap((ago) =>
    VISITS.map(([bot, path, hits]) => {
      const date = toInstant(now - ago * DAY_MS).slice(0, 10);
      const count = hits + (ago % 3);
      return {
        id: crawlerDayId(date, bot),
        date,
        bot,
        hits: count,
        by_status: { "200": count },
        paths: [{ path, status: 200, hits: count }],
        paths_left_out: 0,
      };
    }),
  );
