import { fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Connection, ConnectionPublication } from "../schema/connection.ts";
import type { ChannelResult, StockChange } from "../services/menu-channel.ts";
import type { Unavailable } from "./stock.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Waits after each attempt that was not accepted; afterwards a publication fails. */
const WAITS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
] as const;

/** Clocks of an attempt: `nowMs` is the store's, `realMs` the one by which the other side asks to wait. */
interface At {
  readonly nowMs: number;
  readonly realMs: number;
}

/** A publication after an attempt. */
export function settleAttempt(
  before: ConnectionPublication,
  result: ChannelResult,
  at: At,
): ConnectionPublication {
  const attempts = before.attempts + 1;
  const ended = { attempts, next_attempt_at: null, finished_at: toInstant(at.nowMs) };
  if (result.status === "accepted") return { ...before, ...ended, status: "online", error: null };
  if (result.status === "refused") return { ...before, ...ended, status: "failed", error: result.error };
  const error =
    result.status === "retry"
      ? result.error
      : "The channel has accepted the menu and is still processing it.";
  const wait = WAITS_MS[before.attempts];
  if (wait === undefined) return { ...before, ...ended, status: "failed", error };
  return { ...before, attempts, error, next_attempt_at: toInstant(at.nowMs + waitOf(wait, result, at)) };
}

/** The delivery of stock after an attempt: it is repeated until it succeeds, since it sends the state of that time. */
export function settleStock(before: Connection["stock"], result: ChannelResult, at: At): Connection["stock"] {
  if (result.status === "accepted" || result.status === "pending")
    return { sent_at: toInstant(at.nowMs), attempts: 0, next_attempt_at: null, error: null };
  const wait = Math.min(WAITS_MS[before.attempts] ?? HOUR_MS, HOUR_MS);
  const next = toInstant(at.nowMs + waitOf(wait, result, at));
  return { ...before, attempts: before.attempts + 1, next_attempt_at: next, error: result.error };
}

const waitOf = (waitMs: number, result: ChannelResult, { realMs }: At): number =>
  result.status === "retry" && result.notBeforeMs !== null
    ? Math.max(waitMs, result.notBeforeMs - realMs)
    : waitMs;

export const isSame = (sent: Unavailable, now: Unavailable): boolean =>
  Object.keys(sent).length === Object.keys(now).length &&
  Object.entries(now).every(([id, until]) => Object.hasOwn(sent, id) && sent[id] === until);

/** The same targets with an end that none of them has: whatever is still unavailable differs, and is sent again. */
export const outdated = (sent: Unavailable): Unavailable =>
  Object.fromEntries(Object.keys(sent).map((id) => [id, toInstant(0)]));

/** The changes to send so that the channel matches `now`; `describe` returns null for items that its menu does not contain. */
export function changesOf(
  sent: Unavailable,
  now: Unavailable,
  describe: (id: string) => Pick<StockChange, "kind" | "external_id"> | null,
): StockChange[] {
  const entries = [
    ...Object.entries(now).flatMap(([id, until]) =>
      Object.hasOwn(sent, id) && sent[id] === until ? [] : [{ id, available: false, until }],
    ),
    ...Object.keys(sent).flatMap((id) =>
      Object.hasOwn(now, id) ? [] : [{ id, available: true, until: null }],
    ),
  ];
  return entries.flatMap((entry) => {
    const described = describe(entry.id);
    return described === null ? [] : [{ ...described, ...entry }];
  });
}

/** When there is something to send next, in epoch milliseconds; null: not before something changes. */
export function nextSendMs(
  { publication, stock, online_version: online }: Connection,
  sent: Unavailable,
): number | null {
  const times = [
    publication?.status === "pending" ? publication.next_attempt_at : null,
    stock.next_attempt_at,
    // The end of a suspension is a change of stock.
    ...(online === null || stock.next_attempt_at !== null ? [] : Object.values(sent)),
  ].flatMap((at) => (at === null ? [] : [fromInstant(at)]));
  return times.length === 0 ? null : Math.min(...times);
}
