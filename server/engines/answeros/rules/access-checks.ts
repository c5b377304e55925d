import { ANSWER_BOTS } from "../data/bots.ts";
import type { Check } from "../schema.ts";
import { checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";

const POINTS_PER_BOT = 0.8;
/** Snippet limits below this number of characters are too short for an answer. */
const SNIPPET_MIN = 50;

/** A1–A4: may crawlers fetch the page, and may answers show it? */
export function accessChecks({ facts, url, robots }: Pick<ScoreInput, "facts" | "url" | "robots">): Check[] {
  const { noindex, nosnippet, max_snippet: maxSnippet } = facts.robots;
  const refused = ANSWER_BOTS.filter((bot) => robots?.[bot] === false);
  const isShort = maxSnippet !== null && maxSnippet < SNIPPET_MIN;
  const component = "access";
  return [
    checkOf({
      id: "A1",
      component,
      title: "Indexable",
      points: noindex ? 0 : 5,
      max: 5,
      evidence: noindex ? "robots contains noindex." : "There is no noindex.",
      fix: "Remove noindex from the robots meta element and the X-Robots-Tag header.",
    }),
    checkOf({
      id: "A2",
      component,
      title: "Snippets allowed",
      points: nosnippet || isShort ? 0 : 4,
      max: 4,
      evidence: nosnippet
        ? "robots contains nosnippet."
        : maxSnippet === null
          ? "Snippets are not limited."
          : `Snippets are limited to ${maxSnippet} characters.`,
      fix: `Remove nosnippet, and allow snippets of at least ${SNIPPET_MIN} characters.`,
    }),
    checkOf({
      id: "A3",
      component,
      title: "Crawlers of answer engines are allowed",
      points: robots === null ? null : (ANSWER_BOTS.length - refused.length) * POINTS_PER_BOT,
      max: ANSWER_BOTS.length * POINTS_PER_BOT,
      evidence:
        robots === null
          ? "robots.txt has not been fetched."
          : refused.length === 0
            ? "robots.txt allows all of them."
            : refused.length === ANSWER_BOTS.length
              ? "robots.txt disallows all of them, or is a server error, which crawlers take for that."
              : `robots.txt disallows ${refused.join(", ")}.`,
      fix: `Allow ${refused.join(", ")} in robots.txt: they are used for answers, not for training.`,
    }),
    checkOf({
      id: "A4",
      component,
      title: "Canonical URL is the page itself",
      points: isOwnCanonical(facts.canonical, url) ? 2 : 0,
      max: 2,
      evidence: facts.canonical === null ? "There is no canonical link." : `Canonical: ${facts.canonical}`,
      fix: "Set the canonical link to this page, or score the page that it refers to.",
    }),
  ];
}

/** Missing is fine; without a URL there is nothing to compare with. */
function isOwnCanonical(canonical: string | null, url: string | null): boolean {
  if (canonical === null || url === null) return true;
  return comparable(canonical, url) === comparable(url, url);
}

/** Without fragment and trailing slash, which identify the same page. */
function comparable(address: string, base: string): string {
  const parsed = URL.canParse(address, base) ? new URL(address, base) : null;
  if (parsed === null) return address;
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}${parsed.search}`;
}
