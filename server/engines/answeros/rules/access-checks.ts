import { ANSWER_BOTS } from "../data/bots.ts";
import type { Check } from "../schema.ts";
import { checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";

const POINTS_PER_BOT = 0.8;
/** Fewer characters than this are no answer. */
const SNIPPET_MIN = 50;

/** A1–A4: may crawlers read the page, and answers show it? */
export function accessChecks({ facts, url, robots }: Pick<ScoreInput, "facts" | "url" | "robots">): Check[] {
  const { noindex, nosnippet, max_snippet: maxSnippet } = facts.robots;
  const refused = ANSWER_BOTS.filter((bot) => robots?.[bot] === false);
  const isShort = maxSnippet !== null && maxSnippet < SNIPPET_MIN;
  const component = "access";
  return [
    checkOf({
      id: "A1",
      component,
      title: "May be indexed",
      points: noindex ? 0 : 5,
      max: 5,
      evidence: noindex ? "robots says noindex." : "Nothing says noindex.",
      fix: "Take noindex out of the robots meta element and the X-Robots-Tag header.",
    }),
    checkOf({
      id: "A2",
      component,
      title: "May be quoted",
      points: nosnippet || isShort ? 0 : 4,
      max: 4,
      evidence: nosnippet
        ? "robots says nosnippet."
        : maxSnippet === null
          ? "Snippets are not limited."
          : `Snippets have at most ${maxSnippet} characters.`,
      fix: `Take nosnippet out, and allow snippets of ${SNIPPET_MIN} characters and more.`,
    }),
    checkOf({
      id: "A3",
      component,
      title: "Crawlers of answer engines are let in",
      points: robots === null ? null : (ANSWER_BOTS.length - refused.length) * POINTS_PER_BOT,
      max: ANSWER_BOTS.length * POINTS_PER_BOT,
      evidence:
        robots === null
          ? "robots.txt is not known."
          : refused.length === 0
            ? "robots.txt lets all of them in."
            : `robots.txt refuses ${refused.join(", ")}.`,
      fix: `Allow ${refused.join(", ")} in robots.txt: they feed answers, not training.`,
    }),
    checkOf({
      id: "A4",
      component,
      title: "Canonical address is its own",
      points: isOwnCanonical(facts.canonical, url) ? 2 : 0,
      max: 2,
      evidence: facts.canonical === null ? "No canonical link." : `Canonical: ${facts.canonical}`,
      fix: "Let the canonical link name this page, or score the page that it names.",
    }),
  ];
}

/** Absent is fine; without an address there is nothing to compare with. */
function isOwnCanonical(canonical: string | null, url: string | null): boolean {
  if (canonical === null || url === null) return true;
  return comparable(canonical, url) === comparable(url, url);
}

/** Without fragment and trailing slash, which name the same page. */
function comparable(address: string, base: string): string {
  const parsed = URL.canParse(address, base) ? new URL(address, base) : null;
  if (parsed === null) return address;
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}${parsed.search}`;
}
