import type { BrowserSettings } from "../../../core/browser.ts";
import { readBrowserSettings } from "../../../core/browser.ts";
import { toInstant } from "../../../lib/instant.ts";
import { fail } from "../../../lib/errors.ts";
import type { NewId } from "../../../core/ids.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Ctx, OpenCtx } from "../../../core/route.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { Tx } from "../../../core/tx.ts";
import { marks, readSettings } from "../repository.ts";
import type { Settings } from "../schema.ts";

/** Input of a change in addition to its transaction: available to routes, open pages and jobs. */
export interface WorkBase {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Partition of the store. */
  readonly part: string;
  readonly newId: NewId;
  readonly ports: Ports;
}

/** A transaction with the store's settings. */
export interface Work extends WorkBase {
  readonly nowAt: string;
  readonly tx: Tx;
  readonly settings: Settings;
  /** Origins of the store's own pages, as configured in the account. */
  readonly origins: BrowserSettings;
}

export async function openWork({ newId, now, part, ports }: WorkBase, tx: Tx): Promise<Work> {
  const origins = await readBrowserSettings(tx);
  return { newId, now, nowAt: toInstant(now), part, ports, tx, settings: await readSettings(tx), origins };
}

/** For a request with a key. */
export const worldOf = ({ newId, now, ports, tx }: Ctx): Promise<Work> =>
  openWork({ newId, now, ports, part: tx.part }, tx);

/** For an open page, in a transaction on the store in its URL. */
export async function visitedWorld({ newId, now, ports }: OpenCtx, tx: Tx): Promise<Work> {
  return openWork({ newId, now: (await readTestClock(tx)) ?? now, ports, part: tx.part }, tx);
}

export type FormsEvent =
  | "submission.created"
  | "submission.spam"
  | "submission.released"
  | "submission.erased"
  | "form.published"
  | "form.closed"
  | "quote_request.created"
  | "quote_request.quoted"
  | "quote_request.accepted"
  | "quote_request.expired";

/** Emits an event in the same commit. Ids and statuses only: never user text. */
export function emit(
  { newId, nowAt, tx }: Pick<Work, "newId" | "nowAt" | "tx">,
  type: FormsEvent,
  data: Readonly<Record<string, string | number | null>>,
): void {
  tx.emit({ id: newId("evt"), type: `forms.${type}`, at: nowAt, data });
}

export type MarkKind = "captcha" | "once" | "reply";

export const markId = (kind: MarkKind, parts: readonly string[]): string =>
  derivedId("fmk", new Uint8Array(), [kind, ...parts]);

/**
 * Sets a marker until a time (null: permanently). Returns its id, or null if it already exists:
 * of two concurrent requests one sees the other's.
 */
export async function mark(
  work: Pick<Work, "now" | "tx">,
  kind: MarkKind,
  parts: readonly string[],
  expiresAtMs: number | null,
): Promise<string | null> {
  const id = markId(kind, parts);
  return (await setMark(work, id, expiresAtMs)) ? id : null;
}

/** The same for a marker with a given id; true if it did not exist. */
export async function setMark(
  work: Pick<Work, "now" | "tx">,
  id: string,
  expiresAtMs: number | null,
): Promise<boolean> {
  if (await isMarked(work, id)) return false;
  const before = await work.tx.get(marks, id);
  const value = { id, expires_at: expiresAtMs === null ? null : toInstant(expiresAtMs) };
  work.tx.save(marks, before, value);
  return true;
}

/** Whether a marker exists and has not expired. */
export async function isMarked({ now, tx }: Pick<Work, "now" | "tx">, id: string): Promise<boolean> {
  const mark = await tx.get(marks, id);
  if (mark === null) return false;
  const { expires_at: until } = mark.value;
  return until === null || Date.parse(until) > now;
}

/** A resume token: only this service can create it for a submission, and it cannot be guessed from the id. */
export const resumeToken = ({ part, ports }: Pick<Work, "part" | "ports">, submissionId: string): string =>
  ports.sign(`forms resume ${part}`, submissionId);

export const invalidState = (detail: string) => fail("conflict", detail, { code: "invalid_transition" });
