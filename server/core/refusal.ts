import type { Refused } from "./route.ts";
import type { ErrorType } from "../lib/errors.ts";
import { ERRORS } from "../lib/errors.ts";
import { html } from "../lib/html.ts";
import type { Page } from "./page.ts";
import type { Reply } from "./route.ts";

export interface RefusalWords {
  readonly status: number;
  readonly title: string;
  /** What is wrong, and what to do and when. */
  readonly text: string;
  /** What support asks for. */
  readonly reference: string;
}

/**
 * The page that tells a person of a refusal, by the maker of the route's own pages: whoever filled in a form or followed
 * a link must not be shown what a program is told.
 */
export function showRefusal(page: (page: Page) => Reply<never>, refused: Refused): Reply<never> {
  const { reference, status, text, title } = wordsOf(refused);
  return page({
    status,
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p class="note bad" role="alert">${text}</p>
      <p class="soft">${reference}</p>
    </main>`,
  });
}

/** Says a refusal in words for a person who has filled in a form and knows of no API. */
export function wordsOf(refused: Refused): RefusalWords {
  const { status, title } = ERRORS[refused.type];
  const words = WORDS[refused.type]?.(refused) ?? [title, refused.detail];
  return {
    status,
    title: words[0],
    text: words[1],
    reference: `${status} ${title}, request ${refused.requestId}`,
  };
}

type Words = readonly [title: string, text: string];

const WORDS: Readonly<Partial<Record<ErrorType, (refused: Refused) => Words>>> = {
  forbidden: ({ detail }) => ["This is not allowed", detail],
  not_found: ({ detail }) => ["There is nothing here", detail],
  gone: ({ detail }) => ["This is over", detail],
  conflict: ({ detail }) => ["This is not possible now", detail],
  unprocessable_content: () => [
    "Something is missing or wrong",
    "What was sent does not fit this form. Go back, look at it once more, and send it again.",
  ],
  too_many_requests: (refused) => [
    "Please wait a moment",
    `There were too many requests in a short time, from you or from others. ${again(refused)}`,
  ],
  service_unavailable: (refused) => [
    "This does not work at the moment",
    `The service cannot be reached in full. ${again(refused)}`,
  ],
  request_timeout: (refused) => [
    "That took too long",
    `What was sent did not arrive in time. ${again(refused)}`,
  ],
  content_too_large: () => [
    "That is too large",
    "What was sent is larger than this page takes. Go back, choose smaller files or shorten the text, and send it again.",
  ],
  unsupported_media_type: () => [
    "The form could not be read",
    "It was sent in a way that this page does not take. Go back and send it from the page of the shop; if that does not help, tell the shop.",
  ],
  bad_request: () => [
    "The form could not be read",
    "It did not arrive as it was sent. Go back and send it once more; if that does not help, tell the shop.",
  ],
  internal_server_error: () => [
    "Something went wrong on our side",
    "Try again a little later. If it stays like this, tell the shop the reference below.",
  ],
};

/** A reload is the way without script to send once more what was typed. */
function again({ isPost, waitSeconds }: Refused): string {
  const when = waitSeconds === null ? "Try again a little later" : `Try again ${showWait(waitSeconds)}`;
  if (!isPost) return `${when}.`;
  return `${when}: reload this page then, and your browser sends what you typed once more. Nothing of it has been taken yet.`;
}

/** "in 47 seconds", "in 5 minutes", "in 3 hours": never earlier than told. */
function showWait(seconds: number): string {
  if (seconds < 120) return `in ${many(seconds, "second")}`;
  if (seconds < 7200) return `in ${many(Math.ceil(seconds / 60), "minute")}`;
  return `in ${many(Math.ceil(seconds / 3600), "hour")}`;
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
