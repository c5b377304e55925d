import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { Problem } from "../../../lib/errors.ts";
import { fetchFollowing } from "../../../core/fetching.ts";
import { OutgoingError } from "../../../core/ports.ts";
import type { FetchedAnswer, Ports } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { watch } from "../../../core/watch.ts";
import { feeds, headcountSources } from "../repository.ts";
import { feedPause, isSecure } from "../rules/feed-url.ts";
import type { Feed, HeadcountSource } from "../schema/headcount.ts";
import { takeCalendar } from "../services/take-calendar.ts";
import { openWork } from "../services/work.ts";

/** Calendars that one run asks, and those that it asks at once. */
const FEEDS_MAX = 100;
const AT_ONCE = 5;
const BYTES_MAX = 2_000_000;

/** Fetches calendars of which the address is known, four times an hour. */
export const readFeeds: Job = {
  id: "catering.feeds",
  summary: "Fetches the calendars that headcounts are taken from",
  schedule: "*/5 * * * *",
  watches: [watch(feeds, { index: "due", due: ({ next_at: at }) => at })],
  async run(context) {
    const { hasTime, log, nowAt, part, runTx, signal } = context;
    const { items } = await runTx(part, (tx) => tx.peekPage(feeds, { index: "due", limit: FEEDS_MAX }));
    const due = items.flatMap(({ value }) =>
      value.next_at !== null && value.next_at <= nowAt ? [value] : [],
    );
    const counts = { read: 0, same: 0, failed: 0 };
    for (let start = 0; start < due.length && hasTime(); start += AT_ONCE) {
      const group = due.slice(start, start + AT_ONCE);
      const outcomes = await Promise.all(
        group.map((feed) =>
          readFeed({ ...context, signal }, feed).catch((err: unknown) => {
            log.error({ err, id: feed.id, part }, "a calendar could not be read");
            return { outcome: "failed" as const };
          }),
        ),
      );
      for (const { outcome } of outcomes) counts[outcome] += 1;
    }
    if (counts.failed > 0) log.info({ part, failed: counts.failed }, "calendars could not be fetched");
    return counts;
  },
};

export type FeedWork = Pick<JobContext, "now" | "nowAt" | "part" | "newId" | "ports" | "runTx"> & {
  readonly signal: AbortSignal;
};

export interface FeedRead {
  readonly outcome: "read" | "same" | "failed";
  /** Why it failed, without the address; else empty. */
  readonly detail: string;
}

type Heard =
  | { readonly kind: "same" }
  | { readonly kind: "failed"; readonly detail: string }
  | {
      readonly kind: "calendar";
      readonly ics: string;
      readonly etag: string | null;
      readonly last_modified: string | null;
    };

/** Fetches one calendar outside of any transaction, and keeps what came if it is still wanted. */
export async function readFeed(work: FeedWork, feed: Feed): Promise<FeedRead> {
  const heard = await ask(work, feed);
  // The request was broken off here, which says nothing of the calendar.
  if (work.signal.aborted) return { outcome: "same", detail: "" };
  try {
    return await work.runTx(work.part, (tx) => keep(work, tx, feed, heard));
  } catch (error) {
    // More than a document holds; anything else is a fault of ours.
    if (!(error instanceof Problem)) throw error;
    const failed = { kind: "failed", detail: error.detail } as const;
    return work.runTx(work.part, (tx) => keep(work, tx, feed, failed));
  }
}

async function ask({ now, ports, signal }: FeedWork, feed: Feed): Promise<Heard> {
  // Once a day it is read whole, since the days that are looked at move on.
  const isRecent = feed.read_at !== null && now - fromInstant(feed.read_at) < DAY_MS;
  const validators = isRecent
    ? {
        ...(feed.etag === null ? {} : { "if-none-match": feed.etag }),
        ...(feed.last_modified === null ? {} : { "if-modified-since": feed.last_modified }),
      }
    : {};
  const headers = { accept: "text/calendar, text/plain;q=0.5", ...validators };
  try {
    const request = { url: feed.url, headers, bytesMax: BYTES_MAX, signal };
    const { answer } = await fetchFollowing(securely(ports.fetch), request);
    return heardIn(answer, Object.keys(validators).length > 0);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    // The address is a secret, and what failed is shown.
    const detail = error.message.replaceAll(/https?:\/\/[^\s/]+\S*/gi, new URL(feed.url).host);
    return { kind: "failed", detail: detail.slice(0, 300) };
  }
}

const securely =
  (fetch: Ports["fetch"]): Ports["fetch"] =>
  async (request) => {
    if (!isSecure(new URL(request.url)))
      throw new OutgoingError("refused", "It leads to an address without https.");
    return fetch(request);
  };

function heardIn(answer: FetchedAnswer, isConditional: boolean): Heard {
  const { headers, isCut, location, status } = answer;
  if (status === 304 && isConditional) return { kind: "same" };
  const failed = (detail: string): Heard => ({ kind: "failed", detail });
  if (location !== null) return failed("It redirects more than three times.");
  if (status !== 200) return failed(`It answers with status ${status}.`);
  if (isCut) return failed(`It is larger than ${BYTES_MAX} bytes.`);
  return {
    kind: "calendar",
    ics: answer.text(),
    etag: short(headers["etag"]),
    last_modified: short(headers["last-modified"]),
  };
}

/** A validator that is longer than any in earnest is not sent back. */
const short = (text: string | undefined): string | null =>
  text === undefined || text.length > 200 ? null : text;

async function keep(work: FeedWork, tx: Tx, asked: Feed, heard: Heard): Promise<FeedRead> {
  const feed = await tx.get(feeds, asked.id);
  const source = await tx.get(headcountSources, asked.id);
  // Changed or ended while it was fetched: it is fetched again, or not at all.
  if (feed === null || source === null || !isSameAsk(feed.value, asked))
    return { outcome: "same", detail: "" };
  const state = { host: new URL(asked.url).host, checked_at: work.nowAt };
  if (heard.kind === "failed") return fault(work, tx, { feed, source, state }, heard.detail);
  if (heard.kind === "same") {
    tx.put(feeds, feed, { ...feed.value, failures: 0, next_at: nextAt(work, 0) });
    const value = { ...source.value, feed: { ...state, error: null }, last_ok_at: work.nowAt };
    tx.put(headcountSources, source, { ...value, updated_at: work.nowAt });
    return { outcome: "same", detail: "" };
  }
  const taken = await takeCalendar(await openWork(work, tx), source, heard.ics, { ...state, error: null });
  if (typeof taken === "string") return fault(work, tx, { feed, source, state }, taken);
  tx.put(feeds, feed, {
    ...feed.value,
    etag: heard.etag,
    last_modified: heard.last_modified,
    read_at: work.nowAt,
    failures: 0,
    next_at: nextAt(work, 0),
  });
  return { outcome: "read", detail: "" };
}

const isSameAsk = (now: Feed, asked: Feed): boolean =>
  now.url === asked.url && now.next_at === asked.next_at && now.next_at !== null;

/** What was known stays, and is believed until it is too old. */
function fault(
  work: FeedWork,
  tx: Tx,
  about: {
    readonly feed: Stored<Feed>;
    readonly source: Stored<HeadcountSource>;
    readonly state: { readonly host: string; readonly checked_at: string };
  },
  detail: string,
): FeedRead {
  const { feed, source, state } = about;
  const failures = feed.value.failures + 1;
  tx.put(feeds, feed, { ...feed.value, failures, next_at: nextAt(work, failures) });
  const error = detail.slice(0, 300);
  tx.put(headcountSources, source, {
    ...source.value,
    feed: { ...state, error },
    updated_at: work.nowAt,
  });
  return { outcome: "failed", detail: error };
}

const nextAt = ({ now }: FeedWork, failures: number): string => toInstant(now + feedPause(failures));
