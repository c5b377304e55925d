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
 * The page that shows a person a refusal, by the renderer of the route's own pages: a person who filled in a form or followed
 * a link must not be shown what a program receives.
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
  not_found: ({ detail }) => ["Page not found", detail],
  gone: ({ detail }) => ["This is no longer available", detail],
  conflict: ({ detail }) => ["This is not possible at the moment", detail],
  unprocessable_content: () => [
    "Some of the information is missing or invalid",
    "Go back, check your entries, and submit the form again.",
  ],
  too_many_requests: (refused) => [
    "Please wait a moment",
    `Too many requests were received in a short time, from you or from others. ${again(refused)}`,
  ],
  service_unavailable: (refused) => [
    "Temporarily unavailable",
    `The service is temporarily unavailable. ${again(refused)}`,
  ],
  request_timeout: (refused) => [
    "The request timed out",
    `Your submission was not received in time. ${again(refused)}`,
  ],
  content_too_large: () => [
    "The submission is too large",
    "Your submission exceeds the size limit. Go back, choose smaller files or shorten the text, and submit it again.",
  ],
  unsupported_media_type: () => [
    "The form could not be processed",
    "The format of the submission is not supported. Go back and submit the form from the store's page. If that does not help, contact the store.",
  ],
  bad_request: () => [
    "The form could not be processed",
    "The submission was received incomplete. Go back and submit it again. If that does not help, contact the store.",
  ],
  internal_server_error: () => [
    "Something went wrong on our side",
    "Please try again later. If the problem persists, contact the store with the reference below.",
  ],
};

/** A reload is the way without script to send once more what was typed. */
function again({ isPost, waitSeconds }: Refused): string {
  const when = waitSeconds === null ? "Please try again later" : `Please try again ${showWait(waitSeconds)}`;
  if (!isPost) return `${when}.`;
  return `${when}: reload this page then to submit your entries again. Nothing has been submitted yet.`;
}

/** "in 47 seconds", "in 5 minutes", "in 3 hours": never earlier than the given time. */
function showWait(seconds: number): string {
  if (seconds < 120) return `in ${many(seconds, "second")}`;
  if (seconds < 7200) return `in ${many(Math.ceil(seconds / 60), "minute")}`;
  return `in ${many(Math.ceil(seconds / 3600), "hour")}`;
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
