import { z } from "zod";

import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { sha256Base64Url, sha256Hex } from "../../../core/ids.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { giveWay } from "../../../lib/slices.ts";
import { menus, stockCommits, stocks } from "../repository.ts";
import { canonicalText } from "../rules/canonical.ts";
import { chooseModifiers } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { planCommit } from "../rules/plan-commit.ts";
import type { Shortage } from "../rules/plan-commit.ts";
import { targetsOf } from "../rules/price-order.ts";
import { withReturn } from "../rules/stock.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { Channel } from "../schema/parts.ts";
import { OrderLines } from "../schema/price.ts";
import type { OrderLine } from "../schema/price.ts";
import { Taken, type StockCommit } from "../schema/stock.ts";
import { readLive } from "./read-world.ts";
import { emitChanged } from "./stock.ts";
import { notLive } from "./versions.ts";
import { newResource } from "../../../lib/new-resource.ts";

const Reference = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .meta({ description: "The order's number; each number is accepted once" });
const Committed = z.object({
  order_reference: z.string(),
  committed_at: Instant,
  released_at: Instant.nullable(),
  taken: z.array(Taken),
});

const commit = defineRoute({
  id: "menus.commit",
  method: "POST",
  path: "/commit",
  summary: "Deduct an order from stock",
  description:
    "All or nothing, exact under concurrency, and idempotent per order_reference: repeating it returns the first " +
    "result. Counts items, selected modifiers including defaults, and modifiers that are items. An order can have at " +
    `most ${MENU_LIMITS.targetsPerOrder} counted targets. Only stock is checked; use price for everything else.`,
  body: z.strictObject({
    order_reference: Reference,
    menu_id: Id,
    channel: Channel.nullable().default(null),
    lines: OrderLines,
  }),
  data: Committed,
  errors: [
    conflictWhen("out_of_stock", "Not enough of something is left; the response lists what"),
    conflictWhen("order_reference_used", "The reference was used for other lines, or its order was released"),
    conflictWhen("not_published", "No version of the menu is live"),
  ],
  example: {
    body: {
      order_reference: "1041",
      menu_id: "mnu_01KDVDNA008888888888888889",
      lines: [{ item_id: "itm_01KDVDNA008888888888888894", quantity: 2 }],
    },
  },
  handle: async ({ body }, ctx) => {
    const { tx } = ctx;
    const id = commitId(body.order_reference);
    // Lines of a megabyte have just been checked in this turn.
    await giveWay(tx.part);
    const fingerprint = sha256Hex(canonicalText([body.menu_id, body.channel, body.lines]));
    const before = await tx.get(stockCommits, id);
    if (before !== null) {
      if (before.value.fingerprint === fingerprint && before.value.released_at === null)
        return ok(toAnswer(before.value));
      throw conflict(
        "order_reference_used",
        "The order_reference was already used for other lines, or its order was released. Use another one.",
      );
    }
    const needs = await needsOf(ctx, body.menu_id, body.lines);
    const stockOf = await readTargets(ctx, needs);
    const plan = planCommit(needs, (target) => stockOf.get(target)?.value, {
      channel: body.channel,
      nowMs: ctx.now,
    });
    if (!plan.ok) throw outOfStock(plan.shortages);
    if (plan.next.length > MENU_LIMITS.targetsPerOrder) {
      throw invalidField(
        ["lines"],
        `The order has more than ${MENU_LIMITS.targetsPerOrder} counted items and modifiers. Split it into several ` +
          "orders.",
      );
    }
    for (const next of plan.next) {
      const stored = stockOf.get(next.id);
      if (stored === undefined) continue;
      emitChanged(ctx, stored.value, next);
      tx.put(stocks, stored, { ...next, updated_at: ctx.nowAt });
    }
    const value: StockCommit = {
      ...newResource(id, ctx.nowAt),
      order_reference: body.order_reference,
      channel: body.channel,
      fingerprint,
      taken: plan.taken,
      released_at: null,
    };
    return ok(toAnswer(tx.create(stockCommits, value).value));
  },
});

const release = defineRoute({
  id: "menus.release",
  method: "POST",
  path: "/release",
  summary: "Return the stock of an order",
  description:
    "For an order that was cancelled; repeating it has no further effect. What is no longer counted does not change. " +
    "Orders are stored for 90 days.",
  body: z.strictObject({ order_reference: Reference }),
  data: Committed,
  errors: [{ type: "not_found", when: "No order with this reference" }],
  example: {
    body: { order_reference: "1041" },
  },
  handle: async ({ body }, ctx) => {
    const { tx, nowAt } = ctx;
    const before = await tx.require(stockCommits, commitId(body.order_reference));
    if (before.value.released_at !== null) return ok(toAnswer(before.value));
    const counted = before.value.taken.filter(({ left }) => left !== null);
    for (const { id, quantity } of counted) {
      const stored = await tx.get(stocks, id);
      if (stored === null) continue;
      const next = withReturn(stored.value, quantity);
      if (next === stored.value) continue;
      emitChanged(ctx, stored.value, next);
      tx.put(stocks, stored, { ...next, updated_at: nowAt });
    }
    return ok(
      toAnswer(
        tx.put(stockCommits, before, { ...before.value, released_at: nowAt, updated_at: nowAt }).value,
      ),
    );
  },
});

/** A reference is user text: only its hash may be a key. */
const commitId = (reference: string): string => `cmt_${sha256Base64Url(reference)}`;

const toAnswer = ({ order_reference, created_at, released_at, taken }: StockCommit) => ({
  order_reference,
  committed_at: created_at,
  released_at,
  taken,
});

type Need = Omit<Taken, "left">;

/** Required stock of the lines, each target once. Throws 422 for what the live menu does not offer. */
async function needsOf(ctx: Ctx, menuId: string, lines: readonly OrderLine[]): Promise<Need[]> {
  const menu = await ctx.tx.get(menus, menuId);
  if (menu === null) throw invalidField(["menu_id"], "No resource with this id in this store.");
  const live = await readLive(ctx.tx, menu.value, ctx.now);
  if (live === null) throw notLive("conflict");
  const needs = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    // Each can have hundreds of modifiers, with ten groups each.
    await giveWay(ctx.tx.part);
    for (const [id, quantity] of targetsOfLine(live.tree, line, at))
      needs.set(id, (needs.get(id) ?? 0) + quantity);
  }
  return [...needs].map(([id, quantity]) => ({
    id,
    target: live.tree.modifierById.has(id) ? ("modifier" as const) : ("item" as const),
    quantity,
  }));
}

function targetsOfLine(tree: IndexedTree, line: OrderLine, at: number): ReadonlyMap<string, number> {
  const item = tree.itemById.get(line.item_id);
  if (item === undefined)
    throw invalidField(["lines", at, "item_id"], "The live menu does not offer this item.");
  const groups = groupsOfItem(tree, item.modifier_groups);
  const choices = chooseModifiers(tree, groups, line.selections, (code, id, detail) => {
    // Only unknown targets are refused; limits of a selection are checked by pricing.
    if (code === "group_not_found" || code === "modifier_not_found" || code === "too_many_choices") {
      throw invalidField(["lines", at, "selections"], `${id}: ${detail}`);
    }
  });
  return targetsOf(line, choices);
}

/** Maximum of different targets per order: each is a document verified by the commit. */
const TARGETS_MAX = 500;

async function readTargets({ tx }: Ctx, needs: readonly Need[]) {
  if (needs.length > TARGETS_MAX)
    throw invalidField(
      ["lines"],
      `The order has more than ${TARGETS_MAX} items and modifiers. Split it into several orders.`,
    );
  const documents = await Promise.all(needs.map(({ id }) => tx.get(stocks, id)));
  return new Map(documents.flatMap((stored) => (stored === null ? [] : [[stored.id, stored] as const])));
}

function outOfStock(shortages: readonly Shortage[]) {
  const [first] = shortages;
  const rest = shortages.length > 1 ? `, and ${shortages.length - 1} more` : "";
  return fail(
    "conflict",
    `Not enough stock: ${first?.id ?? ""} has ${first?.left ?? 0} left, ${first?.asked ?? 0} requested${rest}.`,
    {
      code: "out_of_stock",
      errors: shortages.slice(0, 50).map(({ id, left, asked: requested }) => ({
        detail: `${id}: ${left} left, ${requested} requested.`,
      })),
    },
  );
}

export const commitRoutes = [commit, release];
