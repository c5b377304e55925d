import { z } from "zod";

import { defineCollection, timeOrder } from "../../core/collection.ts";
import { mailSubject, refSubject } from "../../core/personal.ts";
import { Id, Instant, LocalDate, resourceFields } from "../../core/schema.ts";
import { fromInstant, toInstant } from "../../lib/instant.ts";
import { COMPACTION_PAUSE_MS } from "./compaction.ts";

export const PRIVACY_LIMITS = {
  /** Requests of a store that wait or run at the same time. */
  open: 100,
  customerIds: 20,
  /** Customer ids and documents that a person may be followed to. */
  subjects: 2_000,
  /** Days that a person has to confirm a request. */
  confirmDays: 14,
  /** Days that an export can be fetched. */
  exportDays: 14,
  /** Characters of one stored part of an export: escaped and in three bytes each they still fit into a document. */
  partChars: 60_000,
  /** Parts of an export: about a hundred megabytes. */
  parts: 2_000,
} as const;

const Count = z.int().nonnegative();

const PrivacyStatus = z.enum(["received", "verified", "done", "rejected"]);

/**
 * `following` looks for the ids under which a person is known, until a whole look finds no more; `working` exports or erases;
 * `checking` looks whether anything is left.
 */
const Phase = z.enum(["following", "working", "checking"]);

/** How far the work is: everything before this page is done. */
const Progress = z.strictObject({
  phase: Phase,
  round: Count,
  part: z.string(),
  collection: z.string(),
  after: z.string(),
  /** Documents that were looked at. */
  seen: Count,
  /** This round found a person to follow, or something left. */
  again: z.boolean(),
});
export type Progress = z.output<typeof Progress>;

export const PrivacyRequest = z.strictObject({
  ...resourceFields,
  type: z.enum(["export", "erase"]),
  status: PrivacyStatus.meta({
    description:
      "received: waiting for confirmation; verified: being processed; rejected: rejected or not confirmed in time",
  }),
  email: z
    .string()
    .nullable()
    .meta({ description: "Null after the request has ended: no personal data is retained here" }),
  customer_ids: z.array(z.string()).meta({ description: "The store's own customer ids of the person" }),
  verify: z.boolean().meta({ description: "Whether the person is asked to confirm by mail first" }),
  verified_at: Instant.nullable(),
  verified_by: z.enum(["person", "shop", "operator"]).nullable(),
  progress: Progress.nullable(),
  shared_ids: Count.meta({
    description: "Customer ids shared with other addresses. Not included unless listed in customer_ids",
  }),
  evidence: z
    .strictObject({
      subject_hash: z
        .string()
        .meta({ description: "HMAC of the address. Identical for identical addresses" }),
      found: Count,
      changed: Count.meta({ description: "Number of documents exported or anonymised" }),
      removed: Count,
      mails: Count,
      left: Count.meta({
        description: "Number of documents that could not be anonymised. 0 unless an error occurred",
      }),
      collections: z.record(z.string(), Count),
      retained: z
        .array(
          z.strictObject({
            collection: z.string(),
            documents: Count,
            until: LocalDate.meta({
              description: "Latest date until which they are retained; they are erased then",
            }),
            reason: z.string(),
          }),
        )
        .meta({ description: "Documents that must be retained by law for now" }),
      compacted: z.boolean().meta({
        description:
          "Whether the data files have been compacted to remove the erased data: at most 15 minutes after done_at. False where nothing was erased",
      }),
    })
    .meta({ description: "Result of the request, without personal data" }),
  done_at: Instant.nullable(),
  retry_at: Instant.nullable()
    .default(null)
    .meta({ description: "Time of the next attempt; null unless one has failed" }),
  expires_at: Instant.nullable().meta({
    description: "Time until which the request can be confirmed or the export downloaded",
  }),
  parts: Count.meta({ description: "Stored parts of the export" }),
});
export type PrivacyRequest = z.output<typeof PrivacyRequest>;

/** An erasure whose data is still in the files of a log. */
export const isUncompacted = ({ evidence, status, type }: PrivacyRequest): boolean =>
  type === "erase" && status === "done" && !evidence.compacted && (evidence.found > 0 || evidence.mails > 0);

/** When the job looks after a request that has ended; null while it is open, or where nothing happens any more. */
export function laterAt(request: PrivacyRequest): string | null {
  const { done_at: doneAt, expires_at: expiresAt } = request;
  if (!isUncompacted(request) || doneAt === null) return expiresAt;
  return toInstant(fromInstant(doneAt) + COMPACTION_PAUSE_MS);
}

const isOpen = ({ status }: PrivacyRequest): boolean => status === "received" || status === "verified";

export const privacyRequests = defineCollection({
  name: "privacy.requests",
  schema: PrivacyRequest,
  schemaVersion: 2,
  // Nothing was retained before.
  upgrade: (old) => ({
    ...old,
    evidence: { ...z.record(z.string(), z.unknown()).parse(old["evidence"]), retained: [] },
  }),
  // An earlier request of the same person, whose export is deleted with it.
  personal: {
    subjects: ({ id, email }) => (email === null ? [] : [mailSubject(email), refSubject(id)]),
    erased: (request) => ({
      ...request,
      email: null,
      customer_ids: [],
      status: request.status === "done" ? ("done" as const) : ("rejected" as const),
      progress: null,
      retry_at: null,
      expires_at: null,
      parts: 0,
    }),
  },
  indexes: {
    /** Those that are not over, exports that can still be fetched, and erasures before a compaction, by when something happens to them. */
    due: {
      values: (request) => (isOpen(request) || request.parts > 0 || isUncompacted(request) ? [""] : []),
      order: (request) =>
        timeOrder(
          (request.status === "verified" ? request.retry_at : laterAt(request)) ?? request.created_at,
        ),
    },
    open: { values: (request) => (isOpen(request) ? [""] : []) },
  },
});

/** Whom a request follows in addition to the address; erased with the request. */
export const privacySubjects = defineCollection({
  name: "privacy.subjects",
  unlisted: true,
  schema: z.strictObject({ id: Id, subjects: z.array(z.string()), shared: z.array(z.string()) }),
  personal: { subjects: ({ id }) => [refSubject(id)], erased: () => null },
});

/** A piece of an export, cut anywhere: lines of JSON, `{part, collection, document}` or `{part, collection, file, index, data}`. */
export const privacyParts = defineCollection({
  name: "privacy.parts",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), request_id: Id, text: z.string() }),
  personal: { subjects: ({ request_id: id }) => [refSubject(id)], erased: () => null },
  indexes: {
    request: { values: ({ request_id: id }) => [id], order: ({ id }) => id.slice(id.lastIndexOf("-") + 1) },
  },
});

export const partId = (requestId: string, seq: number): string =>
  `${requestId}-${String(seq).padStart(6, "0")}`;
