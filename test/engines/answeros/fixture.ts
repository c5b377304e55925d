import type { PageFacts } from "../../../server/lib/text/model.ts";
import { readPage } from "../../../server/lib/text/page.ts";
import type { ScoreInput } from "../../../server/engines/answeros/rules/checks.ts";
import { brandNames, readAnswer } from "../../../server/engines/answeros/rules/read-answer.ts";
import type { TrackedBrand } from "../../../server/engines/answeros/rules/read-answer.ts";
import { addSums, noSums, sumsOf } from "../../../server/engines/answeros/rules/tally.ts";
import { citationsOf } from "../../../server/engines/answeros/rules/build-observation.ts";
import type { Sentiment, Sums } from "../../../server/engines/answeros/schema/tracking.ts";
import { splitSentences } from "../../../server/lib/text/sentences.ts";

export const NOW = Date.parse("2026-06-01T09:00:00.000Z");
export const DAY_MS = 86_400_000;
export const URL_OF_PAGE = "https://crumb.example/sourdough";

/** What a page says whose body is given; `head` goes into its head. */
export const factsOf = (body: string, head = ""): Promise<PageFacts> =>
  readPage({
    html: `<!doctype html><html lang="en"><head>${head}</head><body><main>${body}</main></body></html>`,
    url: URL_OF_PAGE,
    locale: "en",
  });

export async function inputOf(
  body: string,
  more: Partial<ScoreInput> & { head?: string } = {},
): Promise<ScoreInput> {
  const { head, ...rest } = more;
  return {
    facts: await factsOf(body, head),
    url: URL_OF_PAGE,
    page_type: "other",
    entity: null,
    questions: [],
    robots: {},
    now: NOW,
    ...rest,
  };
}

export const words = (count: number, word = "crumb"): string =>
  Array.from({ length: count }, () => word).join(" ");

export const CRUMB: TrackedBrand = {
  id: "brd_crumb",
  name: "Crumb",
  aliases: [],
  domains: ["crumb.example"],
};
export const LOAFLY: TrackedBrand = {
  id: "brd_loafly",
  name: "Loafly",
  aliases: [],
  domains: ["loafly.example"],
};
const BAKEHAUS: TrackedBrand = { id: "brd_bakehaus", name: "Bakehaus", aliases: [], domains: [] };
export const BRANDS = [CRUMB, LOAFLY, BAKEHAUS];

export const tools = { sentences: splitSentences("en"), sentiment: () => 0 };

export interface Said {
  readonly text: string;
  readonly cites: readonly string[];
  readonly sentiment: Sentiment | null;
}

export const sumsOfAnswer = ({ text, cites, sentiment }: Said, brands = BRANDS): Sums => {
  const answer = { answer_text: text, citations: citationsOf(cites.map((url) => ({ url }))), sentiment };
  return sumsOf(answer, readAnswer(answer, brandNames(brands), tools), brands);
};

export const sumsOfAll = (answers: readonly Said[]): Sums =>
  answers.reduce((sums, answer) => addSums(sums, sumsOfAnswer(answer)), noSums());

/** The five observations of vector A30. */
export const A30: readonly Said[] = [
  {
    text: "Loafly delivers. Loafly bakes. Loafly and Crumb are both fine.",
    cites: ["https://loafly.example/a", "https://guide.example/b"],
    sentiment: "neutral",
  },
  {
    text: "Crumb bakes daily. Crumb is good.",
    cites: ["https://www.crumb.example/", "https://guide.example/b"],
    sentiment: "positive",
  },
  { text: "Try Loafly.", cites: ["https://loafly.example/a"], sentiment: "neutral" },
  { text: "Ask in your street.", cites: ["https://guide.example/b"], sentiment: "neutral" },
  { text: "Crumb, Loafly, Bakehaus and Bakehaus again.", cites: [], sentiment: "negative" },
];
