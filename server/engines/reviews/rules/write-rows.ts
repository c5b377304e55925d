import { stringify } from "csv-stringify/sync";

import { safeCell } from "../../../lib/safe-cell.ts";
import type { Review } from "../schema.ts";
import { IMPORT_FIELDS } from "../schema/records.ts";

const MORE = ["id", "verification", "disclosure", "published_at", "rejection_reason"] as const;

/** First line of the file: the fields that an import reads, so that a file can be imported again, and a few more. */
export const CSV_HEAD: string = stringify([[...IMPORT_FIELDS, ...MORE]]);

/** One review as a line. */
export const csvOf = (review: Review): string =>
  stringify([
    [...IMPORT_FIELDS.map((field) => importFields(review)[field]), ...moreOf(review)].map(safeCell),
  ]);

/** Pieces of a text of at most so many characters, cut after a comma where there is one: that is never within an e-mail address. */
export function cutText(text: string, max: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += pieces.at(-1)?.length ?? 0) {
    const end = start + max;
    const comma = end < text.length ? text.lastIndexOf(",", end - 1) : -1;
    pieces.push(text.slice(start, comma > start ? comma + 1 : end));
  }
  return pieces;
}

const importFields = (review: Review): Record<(typeof IMPORT_FIELDS)[number], string> => ({
  target_type: review.target.type,
  target_id: review.target.id,
  product_name: review.product_name ?? "",
  product_url: review.product_url ?? "",
  sku: review.sku ?? "",
  gtin: review.gtin ?? "",
  mpn: review.mpn ?? "",
  brand: review.brand ?? "",
  rating: String(review.rating),
  title: review.title,
  body: review.body,
  author_name: review.author.display_name,
  author_location: review.author.location ?? "",
  email: review.email ?? "",
  locale: review.locale,
  country: review.country ?? "",
  status: review.status,
  incentive: review.incentive.type,
  relationship: review.relationship,
  recommends: review.recommends === null ? "" : String(review.recommends),
  submitted_at: review.submitted_at,
  external_id: review.source?.external_id ?? review.id,
  reply: review.reply?.body ?? "",
});

const moreOf = (review: Review): string[] => [
  review.id,
  review.verification.level,
  review.disclosure ?? "",
  review.published_at ?? "",
  review.moderation.reason ?? "",
];
