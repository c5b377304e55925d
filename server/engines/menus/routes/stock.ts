import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { item, ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, Instant, listFields, withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { items, modifiers, readSettings, stocks } from "../repository.ts";
import {
  isLow,
  liveSuspensions,
  stockBlock,
  withCount,
  withoutSuspension,
  withSuspension,
} from "../rules/stock.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { Channel } from "../schema/parts.ts";
import { Stock, stockFields, StockStatus } from "../schema/stock.ts";
import { StockView } from "../schema/stock.ts";
import { applyAll, operationsRefused } from "./bulk.ts";
import { newStock } from "../schema/stock.ts";

const Written = withVersion(Stock);
const Suspend = z.strictObject({
  until: Instant.nullable()
    .default(null)
    .meta({ description: "Available again at this time; null: when restored" }),
  reason: z.string().trim().min(1).max(200).nullable().default(null),
  channel: Channel.nullable().default(null).meta({ description: "Null: in all channels" }),
});
const Restore = z.strictObject({
  channel: Channel.nullable().default(null).meta({ description: "Null: removes every suspension" }),
});
const StockChange = z.strictObject({
  status: StockStatus.optional().meta({ description: "Stops counting, unless sent with a quantity" }),
  quantity: stockFields.quantity.optional(),
  low_threshold: stockFields.low_threshold.optional(),
});
type StockChange = z.output<typeof StockChange>;
const isQuantityGiven = ({ status, quantity }: StockChange) =>
  status !== "quantity" || typeof quantity === "number";
const isStatusDerived = ({ status, quantity }: StockChange) =>
  typeof quantity !== "number" || status === undefined || status === "quantity";
const Patch = StockChange.refine(isQuantityGiven, {
  path: ["quantity"],
  message: "Required with status `quantity`.",
}).refine(isStatusDerived, {
  path: ["status"],
  message: "Not allowed together with a quantity, which determines the status. Omit it.",
});

const listStock = routesOf({ id: "menus.stock", view: StockView }).list({
  summary: "List what is counted, out of stock or suspended",
  description:
    "Items and modifiers without a stock record are in stock and not listed. status suspended lists those with a " +
    "recorded suspension; an expired one has no effect and is removed within the hour.",
  query: z.object({ ...listFields, status: z.enum([...StockStatus.options, "suspended"]).optional() }),
  example: { query: { status: "quantity" } },
  handle: async ({ query }, ctx) => {
    const index = query.status === undefined ? {} : { index: "status", value: query.status };
    const page = await ctx.tx.peekPage(stocks, { ...index, limit: query.limit, cursor: query.cursor });
    const threshold = (await readSettings(ctx.tx)).low_threshold;
    return values(
      page.items.map((stored) => toView(stored.value, stored.version, { threshold, nowMs: ctx.now })),
      { limit: page.limit, next: page.next },
    );
  },
});

/** The four stock routes of one kind of target. */
function stockRoutesOf(kind: "item" | "modifier") {
  const slug = kind === "item" ? ("items" as const) : ("modifiers" as const);
  const params = {
    id: kind === "item" ? "itm_01KDVDNA008888888888888894" : "mod_01KDVDNA0088888888888888A5",
  };
  const get = defineRoute({
    id: `menus.${slug}.stock`,
    method: "GET",
    path: `/${slug}/:id/stock`,
    summary: `Retrieve the stock of ${kind === "item" ? "an item" : "a modifier"}`,
    data: StockView,
    example: { params },
    handle: async ({ params }, ctx) => {
      const { value, version } = await readStock(ctx, kind, params.id);
      const threshold = (await readSettings(ctx.tx)).low_threshold;
      return ok(toView(value, version, { threshold, nowMs: ctx.now }));
    },
  });
  const set = defineRoute({
    id: `menus.${slug}.set-stock`,
    method: "PATCH",
    path: `/${slug}/:id/stock`,
    summary: `Set the stock of ${kind === "item" ? "an item" : "a modifier"}, or stop counting it`,
    description:
      "quantity 0 means out of stock, more means status quantity; null, or a status alone, stops counting.",
    body: Patch,
    data: Written,
    example: { params, body: { quantity: 18, low_threshold: 6 } },
    handle: async ({ params, body }, ctx) => {
      const stored = await readStock(ctx, kind, params.id);
      // A version in If-Match can only refer to stock that was set before.
      if (stored.stored !== null) await ctx.current(stocks, params.id);
      return item(setStock(ctx, stored, body));
    },
  });
  const suspend = defineRoute({
    id: `menus.${slug}.suspend`,
    method: "POST",
    path: `/${slug}/:id/suspend`,
    summary: `Suspend the sale of ${kind === "item" ? "an item" : "a modifier"}`,
    description:
      "In one channel or in all, until a given time or until it is restored: it is available again exactly at until. " +
      "Takes effect immediately in every version of every menu. A channel has at most one suspension; a new one " +
      "replaces it.",
    body: Suspend,
    data: Written,
    example: { params, body: { until: "2026-06-02T18:00:00.000Z", reason: "The oven is out of order" } },
    handle: async ({ params, body }, ctx) => {
      return item(suspendSale(ctx, await readStock(ctx, kind, params.id), body));
    },
  });
  const restore = defineRoute({
    id: `menus.${slug}.restore`,
    method: "POST",
    path: `/${slug}/:id/restore`,
    summary: `Resume the sale of ${kind === "item" ? "an item" : "a modifier"}`,
    description:
      "Ends its suspension in one channel or in all. If it is out of stock it remains so; set its stock instead.",
    body: Restore,
    data: Written,
    example: { params, body: {} },
    handle: async ({ params, body }, ctx) => {
      return item(restoreSale(ctx, await readStock(ctx, kind, params.id), body));
    },
  });
  return [get, set, suspend, restore];
}

const target = { target: Stock.shape.target, id: Id };
const bulkStock = defineRoute({
  id: "menus.stock.bulk",
  cost: 10,
  method: "POST",
  path: "/stock/bulk",
  summary: "Set, suspend and restore the stock of many items and modifiers",
  description:
    `All or nothing: up to ${MENU_LIMITS.operations} operations are applied in order in one commit. If one is refused, ` +
    "nothing is changed, and the response lists every refused operation.",
  body: z.strictObject({
    operations: z
      .array(
        z.discriminatedUnion("op", [
          z.strictObject({ op: z.literal("set"), ...target, fields: Patch }),
          z.strictObject({ op: z.literal("suspend"), ...target, fields: Suspend.prefault({}) }),
          z.strictObject({ op: z.literal("restore"), ...target, fields: Restore.prefault({}) }),
        ]),
      )
      .min(1)
      .max(MENU_LIMITS.operations),
  }),
  data: z.object({
    results: z.array(Stock).meta({ description: "The stock after each operation, in their order" }),
  }),
  errors: [operationsRefused],
  example: {
    body: {
      operations: [
        { op: "set", target: "item", id: "itm_01KDVDNA008888888888888897", fields: { quantity: 18 } },
      ],
    },
  },
  handle: async ({ body }, ctx) => {
    const results = await applyAll(ctx, body.operations, async (operation) => {
      const stored = await readStock(ctx, operation.target, operation.id);
      if (operation.op === "set") return setStock(ctx, stored, operation.fields).value;
      if (operation.op === "suspend") return suspendSale(ctx, stored, operation.fields).value;
      return restoreSale(ctx, stored, operation.fields).value;
    });
    return ok({ results });
  },
});

function setStock(ctx: Ctx, stored: Known, change: StockChange): Stored<Stock> {
  const counted = withCount(stored.value, change);
  const threshold = change.low_threshold === undefined ? counted.low_threshold : change.low_threshold;
  return save(ctx, stored, { ...counted, low_threshold: threshold });
}

function suspendSale(ctx: Ctx, stored: Known, wanted: z.output<typeof Suspend>): Stored<Stock> {
  if (wanted.until !== null && wanted.until <= ctx.nowAt)
    throw invalidField(["until"], "`until` must be in the future.");
  return save(ctx, stored, withSuspension(stored.value, { ...wanted, since: ctx.nowAt }, ctx.now));
}

const restoreSale = (ctx: Ctx, stored: Known, { channel }: z.output<typeof Restore>): Stored<Stock> =>
  save(ctx, stored, withoutSuspension(stored.value, channel, ctx.now));

interface Known {
  readonly stored: Stored<Stock> | null;
  readonly value: Stock;
  readonly version: number;
}

/** The stock of a target; without a record it is in stock. Throws 404 for an unknown target. */
async function readStock({ tx, nowAt }: Ctx, kind: Stock["target"], id: string): Promise<Known> {
  if (kind === "item") await tx.require(items, id);
  else await tx.require(modifiers, id);
  const stored = await tx.get(stocks, id);
  if (stored !== null) return { stored, value: stored.value, version: stored.version };
  return { stored, value: newStock(id, kind, nowAt), version: 0 };
}

function save(ctx: Ctx, { stored, value: before }: Known, next: Stock): Stored<Stock> {
  emitChanged(ctx, before, next);
  return ctx.tx.save(stocks, stored, { ...next, updated_at: ctx.nowAt });
}

/** Emits an event where the status of a stock changes. */
export function emitChanged(
  { tx, nowAt, newId }: Pick<Ctx, "tx" | "nowAt" | "newId">,
  { status: from }: Stock,
  { id, target: kind, status: to }: Stock,
): void {
  if (from === to) return;
  const data = { id, target: kind, from, to };
  tx.emit({ id: newId("evt"), type: "menus.stock.changed", at: nowAt, data });
}

function toView(stock: Stock, version: number, at: { readonly threshold: number; readonly nowMs: number }) {
  const live = { ...stock, suspensions: liveSuspensions(stock, at.nowMs) };
  return {
    ...live,
    available: Channel.options.some((channel) => stockBlock(live, channel, at.nowMs) === null),
    low: isLow(stock, at.threshold),
    version,
  };
}

export const stockRoutes = [bulkStock, listStock, ...stockRoutesOf("item"), ...stockRoutesOf("modifier")];
