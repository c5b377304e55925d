import type { AccountsDeps } from "./deps.ts";
import { toInstant } from "../lib/instant.ts";
import type { Tx } from "../core/tx.ts";
import { openTrail } from "./audit.ts";
import type { Recorder, AuditEvent } from "./audit.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import type { AccountsCtx } from "./context.ts";
import type { NewId } from "../core/ids.ts";
import { platformEvents } from "./event-types.ts";

/** One audited change of the platform's own records: everything it needs, in one commit. */
export interface Change {
  readonly tx: Tx;
  readonly deps: AccountsDeps;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly nowAt: string;
  /** Appends to the audit trail, in the same commit. */
  readonly record: Recorder;
}

/** Who makes a change, when, and by which request. */
export interface Actor {
  readonly actor: string;
  readonly now: number;
  readonly requestId?: string;
}

/** Runs a change in a transaction of its own, for callers that act after the commit (mail) or have none (jobs). */
export const runChange = <R>(
  deps: AccountsDeps,
  by: Actor,
  work: (change: Change) => Promise<R>,
): Promise<R> => deps.runTx(PLATFORM_PART, async (tx) => work(await openChange(deps, tx, by)));

/** Opens a change on the transaction of a route; committed when its handler returns. */
export const changeOf = (ctx: AccountsCtx): Promise<Change> => openChange(ctx.deps, ctx.tx, actorOf(ctx));

/** Who is behind a request: an operator, the customer whose key it carries, or a visitor of the signup. */
export const actorOf = ({ actor, principal, now, requestId }: AccountsCtx): Actor => ({
  actor: actor ?? principal?.customerId ?? "signup",
  now,
  requestId,
});

async function openChange(deps: AccountsDeps, tx: Tx, { actor, now, requestId }: Actor): Promise<Change> {
  const nowAt = toInstant(now);
  const { newId } = deps;
  const trail = await openTrail(tx, { actor, requestId: requestId ?? null, nowAt, newId });
  return { tx, deps, now, nowAt, record: emitting(trail, tx, { newId, nowAt }) };
}

/** Audited changes that are events as well, under the same name. */
const EMITTED = new Set(platformEvents.map(({ type }) => type));

/** A recorder that also emits the events that others may subscribe to, in the same commit. */
const emitting =
  (record: Recorder, tx: Tx, by: { readonly newId: NewId; readonly nowAt: string }): Recorder =>
  (event) => {
    record(event);
    if (EMITTED.has(event.action)) {
      tx.emit({ id: by.newId("evt"), type: event.action, at: by.nowAt, data: dataOf(event) });
    }
  };

const dataOf = ({ subject, customer_id, details = {} }: AuditEvent): Record<string, unknown> => ({
  id: subject,
  customer_id,
  ...details,
});
