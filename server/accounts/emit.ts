import type { NewId } from "../core/ids.ts";
import type { Tx } from "../core/tx.ts";
import type { AuditEvent, Recorder } from "./audit.ts";
import { platformEvents } from "./event-types.ts";

/** Audited changes that are events as well, under the same name. */
const EMITTED = new Set(platformEvents.map(({ type }) => type));

/** A recorder that also emits the events that others may subscribe to, in the same commit. */
export const emitting =
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
