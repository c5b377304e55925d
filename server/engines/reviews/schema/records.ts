import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";
import { Target } from "./parts.ts";

/** The unique review per target, author and order. */
export const Slot = z.strictObject({ id: Id, review_id: Id });

/**
 * A vote or flag of a visitor. The id is derived from visitor and review, so that a second one is the same. `of_day`: of an address, whose
 * hash is another one tomorrow.
 */
export const Ballot = z.strictObject({
  id: Id,
  subject_id: Id,
  helpful: z.boolean().nullable().meta({ description: "null: a flag" }),
  at: Instant,
  of_day: z.boolean().optional(),
});

/** Origin of a review, stored for a few days: the hash of an IP address is valid for one day only. */
export const Trace = z.strictObject({ id: Id, address: z.string().max(64), at: Instant });

/** Rate of reviews of one target, for anomaly detection. */
export const Pulse = z.strictObject({
  id: Id,
  target: Target,
  recent: z
    .array(z.strictObject({ at: Instant, rating: z.int().min(1).max(5), verified: z.boolean() }))
    .max(300),
  days: z.record(z.string(), z.int().nonnegative()),
  /** Unverified reviews per day, by rating from 1 to 5. */
  unverified: z.record(z.string(), z.array(z.int().nonnegative()).length(5)).optional(),
  hold_until: Instant.nullable(),
});
export type Pulse = z.output<typeof Pulse>;

/** A photo that was uploaded with a review, as WebP; its content is one of `contents`. */
export const Photo = z.strictObject({
  id: Id,
  created_at: Instant,
  /** Null until the review is stored, and while the photo is being deleted. */
  review_id: Id.nullable(),
  email: z.string().max(254).nullable(),
  customer_id: z.string().max(128).nullable(),
  width: z.int().positive(),
  height: z.int().positive(),
  bytes: z.int().nonnegative(),
  chunks: z.int().nonnegative(),
  /** The content of a photo that an older version stored; null for every other. */
  data: z.base64().nullable(),
  expires_at: Instant.nullable(),
});
export type Photo = z.output<typeof Photo>;

export const PrivateReply = z.strictObject({
  ...resourceFields,
  review_id: Id,
  body: z.string().max(2000),
  by: z.string().max(100),
  email: z.string().max(254),
});
export type PrivateReply = z.output<typeof PrivateReply>;

const JOB_STATES = ["queued", "running", "done", "failed"] as const;

export const RowProblem = z.strictObject({
  row: z.int().positive().meta({ description: "Starting at 1, without the header" }),
  field: z.string().max(40).nullable(),
  detail: z.string().max(300),
});
export type RowProblem = z.output<typeof RowProblem>;

/** Fields of a review that a column of an import can be mapped to. */
export const IMPORT_FIELDS = [
  "target_type",
  "target_id",
  "product_name",
  "product_url",
  "sku",
  "gtin",
  "mpn",
  "brand",
  "rating",
  "title",
  "body",
  "author_name",
  "author_location",
  "email",
  "locale",
  "country",
  "status",
  "incentive",
  "relationship",
  "recommends",
  "submitted_at",
  "external_id",
  "reply",
] as const;
export type ImportField = (typeof IMPORT_FIELDS)[number];

export const Import = z.strictObject({
  ...resourceFields,
  state: z.enum(JOB_STATES),
  dry_run: z.boolean(),
  format: z.enum(["csv", "json"]),
  source_system: z.string().max(40),
  collection_method: z.enum(["import", "syndicated"]),
  displayed_on_page: z.boolean(),
  mapping: z.partialRecord(z.enum(IMPORT_FIELDS), z.string().max(100)),
  defaults: z.partialRecord(z.enum(IMPORT_FIELDS), z.string().max(300)),
  rows: z.int().nonnegative(),
  done: z.int().nonnegative().meta({ description: "Number of processed rows" }),
  created: z.int().nonnegative(),
  updated: z.int().nonnegative(),
  unchanged: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  problems: z.array(RowProblem).max(100).meta({ description: "The first hundred invalid rows" }),
  finished_at: Instant.nullable(),
});
export type Import = z.output<typeof Import>;

/** The rows of an import until it is done. */
export const ImportSource = z.strictObject({ id: Id, text: z.string() });
export type ImportSource = z.output<typeof ImportSource>;

export const Export = z.strictObject({
  ...resourceFields,
  state: z.enum(JOB_STATES),
  format: z.enum(["csv", "json"]),
  status: z.string().max(20).nullable(),
  rows: z.int().nonnegative(),
  parts: z.int().nonnegative(),
  cursor: z.string().max(600).nullable(),
  finished_at: Instant.nullable(),
  expires_at: Instant.nullable(),
});
export type Export = z.output<typeof Export>;

/** One part of an export file. */
export const ExportPart = z.strictObject({
  id: Id,
  export_id: Id,
  text: z.string(),
  /** Of a part that is a piece of one review: its author's address may be in another piece. */
  author_email: z.string().nullable().optional(),
});
export type ExportPart = z.output<typeof ExportPart>;
