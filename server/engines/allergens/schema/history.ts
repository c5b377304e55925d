import { z } from "zod";

import { Id, Instant } from "../../../core/schema.ts";
import { Product, Status } from "../schema.ts";
import { ModeId } from "./ingredient.ts";

export const ChangeKind = z.enum([
  "created",
  "updated",
  "ingredients_changed",
  "derived",
  "nutrition_changed",
  "verified",
  "became_stale",
  "imported",
  "deleted",
]);
export type ChangeKind = z.output<typeof ChangeKind>;

/** One change of a product: what it did to the declared allergens, and the product as it then was. Never changed. */
export const ProductVersion = z.strictObject({
  id: Id,
  product_id: Id,
  revision: z.int().positive(),
  at: Instant,
  change: ChangeKind,
  by: z.string().nullable(),
  note: z.string().nullable(),
  title: z.string(),
  status: Status,
  mode: ModeId.meta({ description: "The mode in which added and removed were worked out" }),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  seq: z
    .int()
    .positive()
    .optional()
    .meta({ description: "Number in the history of the store. Absent for entries before the chain began" }),
  previous_hash: z.string().optional(),
  hash: z
    .string()
    .optional()
    .meta({ description: "SHA-256 of the entry, which contains the hash of the one before" }),
  product: Product,
});
export type ProductVersion = z.output<typeof ProductVersion>;
