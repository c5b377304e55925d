import { z } from "zod";

import { defineCollection } from "../core/collection.ts";
import { sha256Hex } from "../core/ids.ts";
import type { NewId } from "../core/ids.ts";
import { Id, Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";

const Detail = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]);

/** What happened, to what, by whom. It names things by id: no address, no secret, so it can be kept for ever. */
export const AuditEntry = z.strictObject({
  id: Id,
  /** 1, 2, 3 … without a gap. */
  seq: z.int().positive(),
  created_at: Instant,
  /** `operator`, `signup`, `system`, or the id of the customer whose key was used. */
  actor: z.string(),
  /** Request that did it; null for what no request did. */
  request_id: z.string().nullable(),
  /** `<noun>.<what happened>`, as in `key.revoked`. */
  action: z.string().regex(/^[a-z_]+\.[a-z_]+$/),
  /** Id of what changed. */
  subject: z.string(),
  customer_id: z.string().nullable(),
  details: z.record(z.string(), Detail),
  /** Hash of the entry before; 64 zeros before the first. */
  previous_hash: z.string(),
  /** SHA-256 of this entry in canonical form, `previous_hash` included. */
  hash: z.string(),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const auditEntries = defineCollection({
  name: "platform.audit",
  schema: AuditEntry,
  indexes: {
    seq: { values: () => [""], order: (entry) => String(entry.seq).padStart(15, "0") },
    /** Everything about one thing: filed under the subject and its customer. */
    about: {
      values: ({ subject, customer_id }) => [...new Set([subject, ...(customer_id ? [customer_id] : [])])],
    },
  },
});

/** End of the chain. Every audited change reads and writes it, so all of them happen one after the other. */
const auditHead = defineCollection({
  name: "platform.audit_head",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), seq: z.int().nonnegative(), hash: z.string() }),
});

const HEAD_ID = "head";
const FIRST_HASH = "0".repeat(64);
const VERIFY_PAGE = 500;

export interface AuditEvent {
  readonly action: string;
  readonly subject: string;
  readonly customer_id: string | null;
  readonly details?: AuditEntry["details"];
}

/** Appends to the trail, in the commit of the change itself. */
export type Recorder = (event: AuditEvent) => void;

/**
 * Opens the trail for a transaction. Open it before anything else is read: from then on no other audited change can
 * come between, also not one that only `page` or `all` would show.
 */
export async function openTrail(
  tx: Tx,
  by: {
    readonly actor: string;
    readonly requestId: string | null;
    readonly nowAt: string;
    readonly newId: NewId;
  },
): Promise<Recorder> {
  const found = await tx.get(auditHead, HEAD_ID);
  let head = found?.value ?? { id: HEAD_ID, seq: 0, hash: FIRST_HASH };
  return ({ action, subject, customer_id, details = {} }) => {
    const entry = {
      id: by.newId("aud"),
      seq: head.seq + 1,
      created_at: by.nowAt,
      actor: by.actor,
      request_id: by.requestId,
      action,
      subject,
      customer_id,
      details,
      previous_hash: head.hash,
    };
    const next = { id: HEAD_ID, seq: entry.seq, hash: hashOf(entry) };
    tx.create(auditEntries, { ...entry, hash: next.hash });
    tx.save(auditHead, found, next);
    head = next;
  };
}

export const AuditReport = z.object({
  ok: z.boolean(),
  entries: z.int().nonnegative().meta({ description: "Number of entries up to the first broken link" }),
  /** Of the last whole entry: noted elsewhere, it also proves that the end was not cut off and rewritten. */
  head_hash: z.string(),
  broken: z.object({ seq: z.int(), id: z.string().nullable(), reason: z.string() }).nullable(),
});
export type AuditReport = z.output<typeof AuditReport>;

/** Walks the whole trail in order and finds the first link that does not hold. Memory is one page. */
export async function verifyTrail(tx: Tx): Promise<AuditReport> {
  const readHead = async () => (await tx.get(auditHead, HEAD_ID))?.value ?? { seq: 0, hash: FIRST_HASH };
  const head = await readHead();
  let seq = 0;
  let hash = FIRST_HASH;
  const broken = (id: string | null, reason: string): AuditReport => ({
    ok: false,
    entries: seq,
    head_hash: hash,
    broken: { seq: seq + 1, id, reason },
  });
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(auditEntries, { index: "seq", limit: VERIFY_PAGE, cursor });
    for (const { value: entry } of page.items) {
      const reason = faultOf(entry, seq, hash);
      if (reason !== null) return broken(entry.id, reason);
      if (entry.seq === head.seq && entry.hash !== head.hash)
        return broken(entry.id, "The audit trail was rewritten.");
      seq = entry.seq;
      hash = entry.hash;
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  // Entries may have joined since the first look, but never fewer than the end then said, nor more than it says now.
  if (seq < head.seq) return broken(null, "The audit trail ends before its recorded end.");
  if (seq > (await readHead()).seq) return broken(null, "The audit trail continues after its recorded end.");
  return { ok: true, entries: seq, head_hash: hash, broken: null };
}

function faultOf(entry: AuditEntry, seq: number, hash: string): string | null {
  if (entry.seq !== seq + 1) return "The entry before this one is missing.";
  if (entry.previous_hash !== hash) return "The entry does not match the hash of the previous entry.";
  return entry.hash === hashOf(entry) ? null : "The entry was changed after it was written.";
}

/** Members in a fixed order and details by name: the same entry always gives the same text. */
function hashOf(entry: Omit<AuditEntry, "hash">): string {
  const details = Object.entries(entry.details).sort(([a], [b]) => (a < b ? -1 : 1));
  const { previous_hash, id, seq, created_at, actor, request_id, action, subject, customer_id } = entry;
  return sha256Hex(
    JSON.stringify([
      previous_hash,
      id,
      seq,
      created_at,
      actor,
      request_id,
      action,
      subject,
      customer_id,
      details,
    ]),
  );
}
