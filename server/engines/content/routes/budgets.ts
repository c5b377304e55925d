import { z } from "zod";
import { requireRoom } from "../../../core/room.ts";

import { Budget, budgets, BUDGETS_MAX, BudgetState, readBudgetState } from "../../../core/ai-ledger.ts";
import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { created, ok } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { readSettings } from "../repository.ts";
import { newResource } from "../../../lib/new-resource.ts";

const BudgetView = withVersion(Budget);

const { id: _id, created_at: _created, updated_at: _updated, ...fields } = Budget.shape;
const Patch = z.strictObject(fields).partial();
const Create = z.strictObject({
  name: fields.name,
  limit_micros: fields.limit_micros.default(null),
  limit_tokens: fields.limit_tokens.default(null),
  period: fields.period.default("month"),
  time_zone: fields.time_zone.optional().meta({ description: "Default: the one in the content settings" }),
  soft_pct: fields.soft_pct.default(80),
  on_exceed: fields.on_exceed.default("fallback_builtin"),
  key_id: fields.key_id.default(null),
  engine: fields.engine.default(null),
  model: fields.model.default(null),
  active: fields.active.default(true),
});

const budgetResource = resource({
  id: "content.budgets",
  collection: budgets,
  view: BudgetView,
  example: "bud_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listBudgets = budgetResource.list({ summary: "List AI budgets, newest first" });

const createBudget = budgetResource.custom.create({
  scope: "manage",
  summary: "Create a budget",
  description:
    "Limits paid or external AI usage in money or in tokens per calendar period. A call is allowed if the settled " +
    "amount, the reserved amount and the estimate of the call are within the limit; otherwise on_exceed determines " +
    "what happens.",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of budgets")],
  example: { body: { name: "Blog", limit_micros: 5_000_000 } },
  handle: async ({ body }, ctx) => {
    const { tx, nowAt } = ctx;
    await requireRoom(tx, budgets, { max: BUDGETS_MAX, noun: "budgets" });
    const time_zone = body.time_zone ?? (await readSettings(tx)).time_zone;
    const budget: Budget = { ...newResource(ctx.newId("bud"), nowAt), ...body, time_zone };
    refuseLimits(budget);
    return created(tx.create(budgets, budget), `/budgets/${budget.id}`);
  },
});

/** One limit, in money or in tokens: two could contradict each other. */
function refuseLimits({ limit_micros: micros, limit_tokens: tokens }: Budget): void {
  if ((micros === null) === (tokens === null)) {
    throw invalidField(["limit_micros"], "Specify either limit_micros or limit_tokens.");
  }
}

const getBudget = budgetResource.get({ summary: "Show a budget" });

const getState = budgetResource.read("state", {
  summary: "Show the usage of a budget in the current period",
  data: BudgetState,
  handle: async ({ params: { id } }, { tx, now }) =>
    ok(await readBudgetState(tx, (await tx.require(budgets, id)).value, now)),
});

const updateBudget = budgetResource.update({
  summary: "Change a budget",
  scope: "manage",
  body: Patch,
  example: { body: { soft_pct: 50 } },
  change: (before, body, ctx) => {
    const next = { ...mergePatch(before, body), updated_at: ctx.nowAt };
    refuseLimits(next);
    return next;
  },
});

const removeBudget = budgetResource.remove({ summary: "Delete a budget", scope: "manage" });

export const budgetRoutes = [listBudgets, createBudget, getBudget, getState, updateBudget, removeBudget];
