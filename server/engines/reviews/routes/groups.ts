import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { empty, item } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { groups, memberships, membershipId } from "../repository.ts";
import { Group } from "../schema/settings.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(Group);
const taken = conflictWhen("in_another_group", "A target is already in another group");

const example = "rvg_01JD8Z5T9QK3M4N5P6R7S8T9V0";

export const groupResource = resource({ id: "reviews.groups", collection: groups, view: View, example });

const listGroups = groupResource.list({
  summary: "List groups of targets that share their reviews, newest first",
});

const Fields = z.strictObject({ name: Group.shape.name, targets: Group.shape.targets });

const createGroup = groupResource.create({
  summary: "Create a group of targets that share their reviews",
  description:
    "A target can be in one group only. Its own averages do not change; the group has separate averages.",
  body: Fields,
  errors: [taken],
  example: { body: { name: "Rye, all sizes", targets: [{ type: "variant", id: "rye-400" }] } },
  make: async (body, ctx) => {
    const id = ctx.newId("rvg");
    await join(ctx.tx, id, [], body.targets);
    return { ...newResource(id, ctx.nowAt), ...body };
  },
});

const getGroup = groupResource.get({ summary: "Show a group" });

const updateGroup = groupResource.custom.update({
  summary: "Change a group",
  body: Fields.partial(),
  errors: [taken],
  example: { body: { name: "Sourdough" } },
  async handle({ params: { id }, body }, ctx: Ctx) {
    const stored = await ctx.current(groups, id);
    const next = {
      ...stored.value,
      name: body.name ?? stored.value.name,
      targets: body.targets ?? stored.value.targets,
      updated_at: ctx.nowAt,
    };
    await join(ctx.tx, id, stored.value.targets, next.targets);
    return item(ctx.tx.put(groups, stored, next));
  },
});

const removeGroup = groupResource.custom.remove({
  summary: "Delete a group; its reviews are not deleted",
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.current(groups, id);
    await join(ctx.tx, id, stored.value.targets, []);
    ctx.tx.remove(groups, stored);
    return empty();
  },
});

/** Records the group of each target. */
async function join(tx: Tx, id: string, before: Group["targets"], after: Group["targets"]): Promise<void> {
  const next = new Set(after.map(membershipId));
  if (next.size < after.length) throw invalidField(["targets"], "Duplicate target.");
  for (const target of before) {
    const membership = await tx.get(memberships, membershipId(target));
    if (membership !== null && !next.has(membership.id)) tx.remove(memberships, membership);
  }
  for (const [at, target] of after.entries()) {
    const memberId = membershipId(target);
    const membership = await tx.get(memberships, memberId);
    if (membership !== null && membership.value.group_id !== id) {
      throw conflict(
        "in_another_group",
        `targets/${at} is already in the group ${membership.value.group_id}. Remove it there first.`,
      );
    }
    if (membership === null) tx.create(memberships, { id: memberId, group_id: id });
  }
}

export const groupRoutes = [listGroups, createGroup, getGroup, updateGroup, removeGroup];
