import { ERRORS } from "../lib/errors.ts";
import type { ErrorType } from "../lib/errors.ts";
import { html } from "../lib/html.ts";
import { renderPage } from "./page.ts";
import type { Reply } from "./reply.ts";
import type { Refused } from "./route.ts";
import { wordsIn } from "./words.ts";
import type { Words } from "./words.ts";

export interface RefusalWords {
  readonly status: number;
  readonly title: string;
  /** What is wrong, and what to do and when. */
  readonly text: string;
  /** What support asks for. */
  readonly reference: string;
}

/** The page that shows a person a refusal: someone who filled in a form or followed a link must not see what a program receives. */
export function showRefusal(refused: Refused): Reply<never> {
  const { reference, status, text, title } = wordsOf(refused);
  return renderPage({
    status,
    title,
    lang: wordsIn(refused.locale).locale,
    body: html`<main>
      <h1>${title}</h1>
      <p class="note bad" role="alert">${text}</p>
      <p class="soft">${reference}</p>
    </main>`,
  });
}

/** Says a refusal in words for a person who has filled in a form and knows of no API. */
export function wordsOf(refused: Refused): RefusalWords {
  const words = wordsIn(refused.locale);
  const { status, title: name } = ERRORS[refused.type];
  const reference = words.say("refusal.reference", { status, title: name, request: refused.requestId });
  const kind = KINDS.get(refused.type) ?? "bad_request";
  const text = [words.say(`refusal.${kind}.text`), ...(RETRIED.has(kind) ? again(words, refused) : [])].join(
    " ",
  );
  // Problems are described in English, more precisely than a message of the catalogue can.
  const isPrecise = DETAILED.has(kind) && words.locale.startsWith("en");
  return {
    status,
    title: words.say(`refusal.${kind}.title`),
    text: isPrecise ? refused.detail : text,
    reference,
  };
}

const NAMED = [
  "forbidden",
  "not_found",
  "gone",
  "conflict",
  "unprocessable_content",
  "too_many_requests",
  "service_unavailable",
  "request_timeout",
  "content_too_large",
  "internal_server_error",
] as const;
/** Kinds of refusals with a text of their own. */
const KINDS: ReadonlyMap<ErrorType, (typeof NAMED)[number]> = new Map([
  ...NAMED.map((kind) => [kind, kind] as const),
  ["precondition_failed", "conflict"] as const,
]);

/** Kinds whose cause passes by itself. */
const RETRIED: ReadonlySet<string> = new Set(["too_many_requests", "service_unavailable", "request_timeout"]);
/** Kinds of which the detail of the problem says more. */
const DETAILED: ReadonlySet<string> = new Set(["forbidden", "not_found", "gone", "conflict"]);

/** A reload is the way without script to send once more what was typed. */
const again = (words: Words, { isPost, waitSeconds }: Refused): string[] => [
  waitSeconds === null ? words.say("refusal.later") : showWait(words, waitSeconds),
  ...(isPost ? [words.say("refusal.resubmit")] : []),
];

/** "in 47 seconds", "in 5 minutes", "in 3 hours": never earlier than the given time. */
function showWait(words: Words, seconds: number): string {
  if (seconds < 120) return words.say("refusal.seconds", { count: seconds });
  if (seconds < 7200) return words.say("refusal.minutes", { count: Math.ceil(seconds / 60) });
  return words.say("refusal.hours", { count: Math.ceil(seconds / 3600) });
}
