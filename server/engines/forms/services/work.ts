import type { BrowserSettings } from "../../../core/browser.ts";
import { readBrowserSettings } from "../../../core/browser.ts";
import { toInstant } from "../../../lib/instant.ts";
import { conflict } from "../../../lib/errors.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Work } from "../../../core/ports.ts";
import { workOf } from "../../../core/route.ts";
import type { Ctx, OpenCtx } from "../../../core/route.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { Tx } from "../../../core/tx.ts";
import { marks, readSettings } from "../repository.ts";
import type { Settings } from "../schema.ts";

/** A transaction with the store's settings. */
export interface FormsWork extends Work {
  readonly tx: Tx;
  readonly settings: Settings;
  /** Origins of the store's own pages, as configured in the account. */
  readonly origins: BrowserSettings;
}

export async function openWork({ now, nowAt, part, newId, ports }: Work, tx: Tx): Promise<FormsWork> {
  const settings = await readSettings(tx);
  return { now, nowAt, part, newId, ports, tx, settings, origins: await readBrowserSettings(tx) };
}

/** For a request with a key. */
export const formsWorkOf = (ctx: Ctx): Promise<FormsWork> => openWork(workOf(ctx), ctx.tx);

/** For an open page, in a transaction on the store in its URL. */
export async function visitedWork(ctx: OpenCtx, tx: Tx): Promise<FormsWork> {
  const now = (await readTestClock(tx)) ?? ctx.now;
  return openWork({ ...workOf(ctx), part: tx.part, now, nowAt: toInstant(now) }, tx);
}

export type FormsEvent =
  | "submission.created"
  | "submission.edited"
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
  { newId, nowAt, tx }: Pick<FormsWork, "newId" | "nowAt" | "tx">,
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
  work: Pick<FormsWork, "now" | "tx">,
  kind: MarkKind,
  parts: readonly string[],
  expiresAtMs: number | null,
): Promise<string | null> {
  const id = markId(kind, parts);
  return (await setMark(work, id, expiresAtMs)) ? id : null;
}

/** The same for a marker with a given id; true if it did not exist. */
export async function setMark(
  work: Pick<FormsWork, "now" | "tx">,
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
export async function isMarked({ now, tx }: Pick<FormsWork, "now" | "tx">, id: string): Promise<boolean> {
  const mark = await tx.get(marks, id);
  if (mark === null) return false;
  const { expires_at: until } = mark.value;
  return until === null || Date.parse(until) > now;
}

/** A resume token: only this service can create it for a submission, and it cannot be guessed from the id. */
export const resumeToken = (
  { part, ports }: Pick<FormsWork, "part" | "ports">,
  submissionId: string,
): string => ports.sign(`forms resume ${part}`, submissionId);

export const invalidState = (detail: string) => conflict("invalid_transition", detail);
