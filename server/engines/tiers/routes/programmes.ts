import { readShop } from "../../../core/shop.ts";
import { z } from "zod";
import { requireRoom } from "../../../core/room.ts";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { item } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { publishRules, rulesOf } from "../services/publish.ts";
import { programmes } from "../repository.ts";
import { draftRules, Programme, programmeFields, ProgrammeDraft, TIER_LIMITS } from "../schema/programme.ts";
import type { Rules } from "../schema/programme.ts";
import { newResource } from "../../../lib/new-resource.ts";

const ProgrammeView = withVersion(Programme);

export const exampleLevels: z.input<typeof ProgrammeDraft>["levels"] = [
  { id: "lvl_friend", name: "Friend", rank: 0, entry: { all: [] } },
  {
    id: "lvl_gold",
    name: "Gold",
    rank: 1,
    entry: {
      all: [{ metric: "spend", key: null, op: "gte", value: 50000, window: { type: "rolling", months: 12 } }],
    },
    benefits: [{ kind: "free_delivery", title: "Free delivery" }],
  },
];

const programmeResource = resource({
  id: "tiers.programmes",
  collection: programmes,
  view: ProgrammeView,
  example: "tpg_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listProgrammes = programmeResource.list({ summary: "List programmes" });

const createProgramme = programmeResource.create({
  summary: "Create a programme with its levels and term rules",
  description: "It has no effect until it is published. Test it with POST /v1/tiers/evaluations.",
  scope: "manage",
  body: ProgrammeDraft,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of programmes")],
  example: {
    body: {
      name: "Bakery Club",
      grace_days: 14,
      levels: exampleLevels,
    },
  },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, programmes, { max: TIER_LIMITS.programmes, noun: "programmes" });
    const id = ctx.newId("tpg");
    const state = { status: "draft" as const, published_version: 0, published_at: null };
    const rules = checkedRules(draftRules(body, await readShop(ctx.tx)));
    return { ...newResource(id, ctx.nowAt), ...rules, ...state };
  },
});

const getProgramme = programmeResource.get({ summary: "Show a programme" });

const updateProgramme = programmeResource.update({
  summary: "Change the draft of a programme",
  description:
    "The published version stays in effect until the next publication. `levels` is replaced as a whole.",
  scope: "manage",
  body: z.strictObject(programmeFields).partial(),
  example: { body: { grace_days: 21 } },
  change: (before, body, ctx) => {
    const programme = { ...mergePatch(before, body), updated_at: ctx.nowAt };
    return { ...programme, ...checkedRules(rulesOf(programme)) };
  },
});

const publishProgramme = programmeResource.action("publish", {
  scope: "manage",
  summary: "Publish a programme, replacing the published one",
  description:
    "Events are evaluated by it immediately. Other members do not change until their term ends or a recalculation is " +
    "applied: start with POST /v1/tiers/recalculations, which changes nothing. It can also show the effect of the draft " +
    "before it is published, and then publish it.",
  async handle({ params: { id } }, ctx) {
    const { tx, nowAt } = ctx;
    const stored = await tx.require(programmes, id);
    return item(await publishRules(tx, stored, rulesOf(stored.value), nowAt));
  },
});

/** Levels ordered by rank. Throws 422 for levels whose ranks have gaps or duplicates. */
export function checkedRules(rules: Rules): Rules {
  const levels = [...rules.levels].sort((a, b) => a.rank - b.rank);
  const wrong = levels.findIndex(({ rank }, at) => rank !== at);
  if (wrong >= 0) throw invalidField(["levels"], "Ranks must start at 0 and be consecutive and unique.");
  if (new Set(levels.map(({ id }) => id)).size !== levels.length) {
    throw invalidField(["levels"], "Duplicate level id. Each level needs a unique id.");
  }
  const [base] = levels;
  if (base === undefined || !("all" in base.entry) || base.entry.all.length > 0) {
    throw invalidField(
      ["levels"],
      `The level of rank 0 is the base level of all customers: its entry must be {"all": []}.`,
    );
  }
  return { ...rules, levels };
}

export const programmeRoutes = [
  listProgrammes,
  createProgramme,
  getProgramme,
  updateProgramme,
  publishProgramme,
];
