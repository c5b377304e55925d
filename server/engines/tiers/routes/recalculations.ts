import { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { takeTurn } from "../../../core/room.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, list } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, listFields, LocalDate, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import {
  draftId,
  findJobRules,
  programmes,
  published,
  readCuts,
  recalculationMoves,
  recalculations,
  requireRules,
  running,
} from "../repository.ts";
import type { RunningRules } from "../repository.ts";
import { noEffect } from "../rules/effect.ts";
import { publishRules, rulesOf } from "../services/publish.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { recalculationStates } from "../rules/recalculation-state.ts";
import { LevelId } from "../schema/programme.ts";
import { Recalculation, RecalculationMove } from "../schema/recalculation.ts";
import { noProgramme } from "./env.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(Recalculation);
const params = { id: "trc_01JD8Z5T9QK3M4N5P6R7S8T9V0" };
const badState = conflictWhen("invalid_transition", "The status of the recalculation does not allow this");

const recalculationResource = resource({
  id: "tiers.recalculations",
  collection: recalculations,
  view: View,
  example: "trc_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const create = recalculationResource.create({
  summary: "Compute the effect of the published rules, or of a draft, on all members",
  description:
    "A dry run: no tier changes. Poll the job until its status is `ready`, review its levels, costs and moves, then apply " +
    "or cancel it. Applying the dry run of a draft also publishes it. Only one can run per store.",
  scope: "manage",
  cost: 20,
  body: z.strictObject({
    programme_id: Id.optional().meta({
      description: "Programme whose saved draft is evaluated. Default: the published rules",
    }),
    as_of: LocalDate.optional().meta({ description: "Default: today; must not be in the future" }),
    level_id: LevelId.nullable().default(null).meta({ description: "Only members of this level" }),
    placement: z.enum(["hold", "requalify"]).default("hold").meta({
      description:
        "hold: current terms are kept until they end; requalify: all members move to the level they qualify for now",
    }),
  }),
  errors: [missing, noProgramme, conflictWhen("in_progress", "Another recalculation is running")],
  example: {
    body: { placement: "hold" },
  },
  make: async (body, ctx) => {
    const id = ctx.newId("trc");
    const { rules, programme_id, programme_version } = await rulesFor(ctx, body.programme_id, id);
    const today = localDateAt(ctx.now, rules.timezone);
    const asOf = body.as_of ?? today;
    if (asOf > today) throw invalidField(["as_of"], "`as_of` must not be in the future.");
    if (body.level_id !== null && !rules.levels.some(({ id }) => id === body.level_id)) {
      throw invalidField(["level_id"], "The programme has no level with this id.");
    }
    await refuseSecond(ctx);
    return {
      ...newResource(id, ctx.nowAt),
      status: "queued",
      mode: "dry_run",
      as_of: asOf,
      scope: { level_id: body.level_id },
      placement: body.placement,
      programme_id,
      programme_version,
      draft: body.programme_id !== undefined,
      ...noEffect(rules),
      progress: { done: 0, total: (await readCuts(ctx.tx))?.members ?? 0, cursor: null },
      guard: { exceeded: false, down: 0, members: 0 },
      rfm: null,
      applied_at: null,
      rollback_until: null,
    };
  },
});

/** The rules to evaluate; those of a draft are stored as they are now. */
async function rulesFor(
  { tx }: Pick<Ctx, "tx">,
  programmeId: string | undefined,
  jobId: string,
): Promise<RunningRules> {
  if (programmeId === undefined) return requireRules(tx);
  const { value } = await tx.require(programmes, programmeId);
  const replaces = (await tx.get(running, "running"))?.value.published_id ?? null;
  const version = value.published_version + 1;
  const frozen = { programme_id: programmeId, programme_version: version, rules: rulesOf(value), replaces };
  return tx.create(published, { id: draftId(jobId), ...frozen }).value;
}

/** Throws 409 unless the rules are still those of the dry run; publishes a draft. */
async function requireUnchanged({ tx, nowAt }: Pick<Ctx, "tx" | "nowAt">, job: Recalculation): Promise<void> {
  if (!job.draft) {
    const now = await requireRules(tx);
    if (now.programme_id === job.programme_id && now.programme_version === job.programme_version) return;
    throw conflict(
      "programme_changed",
      "Other rules have been published since the dry run. Start a new one.",
    );
  }
  // Stored for 31 days.
  const frozen = await tx.get(published, draftId(job.id));
  const programme = await tx.get(programmes, job.programme_id);
  const replaces = (await tx.get(running, "running"))?.value.published_id ?? null;
  const rules = frozen?.value.rules;
  const isSame = programme !== null && JSON.stringify(rulesOf(programme.value)) === JSON.stringify(rules);
  if (rules === undefined || !isSame || replaces !== frozen?.value.replaces) {
    throw conflict(
      "programme_changed",
      "The draft or the published rules have changed since the dry run. Start a new one.",
    );
  }
  await publishRules(tx, programme, rules, nowAt);
}

async function refuseSecond({ tx }: Pick<Ctx, "tx">): Promise<void> {
  await takeTurn(tx, recalculations.name);
  const open = await tx.peekPage(recalculations, { index: "open", limit: 1 });
  const [other] = open.items;
  if (other === undefined) return;
  throw conflict(
    "in_progress",
    `The recalculation ${other.id} is still running. Wait until it ends, or cancel it.`,
  );
}

const listAll = recalculationResource.list({ summary: "List recalculations, newest first" });

const get = recalculationResource.get({ summary: "Show the progress and result of a recalculation" });

const listMoves = defineRoute({
  id: "tiers.recalculations.moves.list",
  method: "GET",
  path: "/recalculations/:id/moves",
  summary: "List the members that a recalculation moves",
  query: z.object({ ...listFields, direction: RecalculationMove.shape.direction.optional() }),
  data: z.array(withVersion(RecalculationMove)),
  example: {
    params,
  },
  async handle({ params: { id }, query: { direction, ...page } }, { tx }) {
    await tx.require(recalculations, id);
    const value = direction === undefined ? id : `${id}.${direction}`;
    return list(await tx.peekPage(recalculationMoves, { index: "by", value, ...page }));
  },
});

const apply = recalculationResource.action("apply", {
  scope: "manage",
  summary: "Apply a dry run",
  description:
    "Members with changes since the dry run are evaluated again. A dry run that would move more members down than " +
    "the programme's guard allows requires `confirm`. A dry run of a draft is published by this.",
  body: z.strictObject({ confirm: z.boolean().default(false) }),
  errors: [
    badState,
    conflictWhen(
      "programme_changed",
      "Other rules have been published, or the draft has changed, since the dry run",
    ),
    conflictWhen("guard_exceeded", "Too many members would move down and confirm is false"),
    conflictWhen("in_progress", "Another recalculation is running"),
  ],
  example: { body: { confirm: false } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(recalculations, id);
    const job = stored.value;
    requireStatus(job, "apply", "applied");
    if (job.guard.exceeded && !body.confirm) {
      const { down, members } = job.guard;
      throw conflict(
        "guard_exceeded",
        `${down} of ${members} members would move down. Review the moves, then set \`confirm\` to true.`,
      );
    }
    await refuseSecond(ctx);
    await requireUnchanged(ctx, job);
    const frozen = await findJobRules(ctx.tx, job);
    const progress = { ...job.progress, done: 0, cursor: null };
    const fresh = { ...noEffect(frozen?.rules ?? null), progress, updated_at: ctx.nowAt };
    return item(ctx.tx.put(recalculations, stored, { ...job, ...fresh, status: "applying", mode: "apply" }));
  },
});

const cancel = recalculationResource.action("cancel", {
  scope: "manage",
  summary: "Discard a dry run or stop an application",
  description: "Members that an application has already changed are not restored.",
  errors: [badState],
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.tx.require(recalculations, id);
    requireStatus(stored.value, "cancel", "cancelled");
    const next = { ...stored.value, status: "cancelled" as const, updated_at: ctx.nowAt };
    return item(ctx.tx.put(recalculations, stored, next));
  },
});

const rollBack = recalculationResource.action("rollback", {
  scope: "manage",
  summary: "Roll back an applied recalculation",
  description:
    "Possible for thirty days. Members who have moved since are skipped; counts.skipped is their number.",
  errors: [
    badState,
    conflictWhen("too_late", "It was applied more than thirty days ago"),
    conflictWhen("programme_changed", "Other rules have been published since"),
    conflictWhen("in_progress", "Another recalculation is running"),
  ],
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.tx.require(recalculations, id);
    const job = stored.value;
    requireStatus(job, "roll_back", "rolled back");
    if (job.rollback_until === null || ctx.now > fromInstant(job.rollback_until)) {
      throw conflict(
        "too_late",
        "The recalculation was applied more than thirty days ago and can no longer be rolled back.",
      );
    }
    const now = await requireRules(ctx.tx);
    if (now.programme_id !== job.programme_id || now.programme_version !== job.programme_version) {
      throw conflict(
        "programme_changed",
        "Other rules have been published since: the previous levels may no longer exist.",
      );
    }
    await refuseSecond(ctx);
    const progress = { ...job.progress, done: 0, cursor: null };
    const fresh = { counts: { ...job.counts, written: 0, skipped: 0 }, progress, updated_at: ctx.nowAt };
    return item(ctx.tx.put(recalculations, stored, { ...job, ...fresh, status: "rolling_back" }));
  },
});

function requireStatus(
  job: Recalculation,
  action: Parameters<typeof recalculationStates.from>[0],
  what: string,
): void {
  if (recalculationStates.allows(action, job.status)) return;
  throw conflict("invalid_transition", `A recalculation with status \`${job.status}\` cannot be ${what}.`);
}

export const recalculationRoutes = [create, listAll, get, listMoves, apply, cancel, rollBack];
