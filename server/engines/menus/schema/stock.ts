import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../kernel/schema.ts";
import { Channel, StockTarget, Stock } from "../schema.ts";

/** What is left of an item or a modifier, as it is served: with what follows from it at this instant. */
export const StockView = Stock.extend({
  available: z.boolean().meta({ description: "In at least one channel, as far as stock goes" }),
  low: z.boolean().meta({ description: "The count is at or below its threshold" }),
  version: z.int().min(0).meta({ description: "0 while nothing was ever said of it: it is in stock" }),
});

export const Taken = z.object({
  id: Id,
  target: StockTarget,
  quantity: z.int().min(1).meta({ description: "Units that the order takes" }),
  left: z.int().min(0).nullable().meta({ description: "What is left after it; null: not counted" }),
});
export type Taken = z.output<typeof Taken>;

/** What an order took of stock. */
export const StockCommit = z.object({
  ...resourceFields,
  order_reference: z.string(),
  channel: Channel.nullable(),
  /** Fingerprint of the lines, so that another order under the same reference is told apart from a repetition. */
  fingerprint: z.string(),
  taken: z.array(Taken),
  released_at: Instant.nullable(),
});
export type StockCommit = z.output<typeof StockCommit>;
