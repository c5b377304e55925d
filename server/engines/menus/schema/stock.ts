import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Channel } from "./parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const StockTarget = z.enum(["item", "modifier"]);
export const StockStatus = z.enum(["in_stock", "quantity", "out_of_stock"]);
export const Suspension = z.object({
  channel: Channel.nullable().meta({ description: "Null: all channels" }),
  until: Instant.nullable().meta({
    description: "Available again at this time; null: when restored",
  }),
  reason: z.string().max(200).nullable(),
  since: Instant,
});
export type Suspension = z.output<typeof Suspension>;
export const stockFields = {
  status: StockStatus,
  quantity: z
    .int()
    .min(0)
    .max(MENU_LIMITS.unitsInStock)
    .nullable()
    .meta({ description: "Units left; null: not counted" }),
  low_threshold: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .meta({ description: "Null: the threshold in the settings" }),
};
/** The stock of an item or a modifier; its id is the id of its target. */
export const Stock = z.object({
  ...resourceFields,
  target: StockTarget,
  ...stockFields,
  suspensions: z
    .array(Suspension)
    .max(6)
    .meta({ description: "At most one per channel, and one for all channels" }),
});
export type Stock = z.output<typeof Stock>;

/** Stock of a target without a record: it is in stock. */
export const newStock = (id: string, target: Stock["target"], nowAt: string): Stock => ({
  ...newResource(id, nowAt),
  target,
  status: "in_stock",
  quantity: null,
  low_threshold: null,
  suspensions: [],
});

/** The stock of an item or a modifier as returned: with its derived state at this time. */
export const StockView = Stock.extend({
  available: z.boolean().meta({ description: "Whether it is in stock in at least one channel" }),
  low: z.boolean().meta({ description: "The count is at or below its threshold" }),
  version: z.int().min(0).meta({ description: "0 while no stock has ever been recorded: it is in stock" }),
});

export const Taken = z.object({
  id: Id,
  target: StockTarget,
  quantity: z.int().min(1).meta({ description: "Units deducted for the order" }),
  left: z.int().min(0).nullable().meta({ description: "Units left after the order; null: not counted" }),
});
export type Taken = z.output<typeof Taken>;

/** Stock deducted for an order. */
export const StockCommit = z.object({
  ...resourceFields,
  order_reference: z.string(),
  channel: Channel.nullable(),
  /** Fingerprint of the lines, to distinguish another order with the same reference from a repetition. */
  fingerprint: z.string(),
  taken: z.array(Taken),
  released_at: Instant.nullable(),
});
export type StockCommit = z.output<typeof StockCommit>;
