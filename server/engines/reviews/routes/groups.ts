import { z } from "zod";

import { fail, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, defineRoute, empty, item, list } from "../../../core/route.ts";
import { ListQuery, withVersion } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { groups, memberships, membershipId } from "../repository.ts";
import { Group } from "../schema/settings.ts";
import { byId, missing, stale } from "./env.ts";

const View = withVersion(Group);
const taken = {
  type: "conflict",
  code: "in_another_group",
  when: "A target is already in another group",
} as const;

const example: z.input<typeof View> = {
  id: "rvg_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  name: "Sourdough, all sizes",
  targets: [
    { type: "variant", id: "sourdough-400" },
    { type: "variant", id: "sourdough-800" },
  ],
  version: 1,
};

const listGroups = defineRoute({
  id: "reviews.groups.list",
  method: "GET",
  path: "/groups",
  summary: "List groups of targets that share their reviews, newest first",
  query: ListQuery,
  data: z.array(View),
  example: { data: [example] },
  handle: async ({ query }, { tx }) => list(await tx.peekPage(groups, query)),
});

const Fields = z.strictObject({ name: Group.shape.name, targets: Group.shape.targets });

const createGroup = defineRoute({
  id: "reviews.groups.create",
  method: "POST",
  path: "/groups",
  status: 201,
  summary: "Create a group of targets that share their reviews",
  description:
    "A target can be in one group only. Its own averages do not change; the group has separate averages.",
  body: Fields,
  data: View,
  errors: [taken],
  example: { body: { name: "Rye, all sizes", targets: [{ type: "variant", id: "rye-400" }] }, data: example },
  async handle({ body }, ctx) {
    const id = ctx.newId("rvg");
    await join(ctx.tx, id, [], body.targets);
    const stored = ctx.tx.create(groups, { id, created_at: ctx.nowAt, updated_at: ctx.nowAt, ...body });
    return created(stored, `/groups/${id}`);
  },
});

const getGroup = defineRoute({
  id: "reviews.groups.get",
  method: "GET",
  path: "/groups/:id",
  summary: "Show a group",
  params: byId,
  data: View,
  errors: [missing],
  example: { params: { id: example.id }, data: example },
  handle: async ({ params: { id } }, { tx }) => item(await tx.require(groups, id)),
});

const updateGroup = defineRoute({
  id: "reviews.groups.update",
  method: "PATCH",
  path: "/groups/:id",
  summary: "Change a group",
  params: byId,
  body: Fields.partial(),
  data: View,
  errors: [missing, stale, taken],
  example: {
    params: { id: example.id },
    body: { name: "Sourdough" },
    data: { ...example, name: "Sourdough" },
  },
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

const removeGroup = defineRoute({
  id: "reviews.groups.remove",
  method: "DELETE",
  path: "/groups/:id",
  summary: "Delete a group; its reviews are not deleted",
  params: byId,
  data: z.null(),
  errors: [missing, stale],
  example: { params: { id: example.id } },
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
      throw fail(
        "conflict",
        `targets/${at} is already in the group ${membership.value.group_id}. Remove it there first.`,
        {
          code: "in_another_group",
        },
      );
    }
    if (membership === null) tx.create(memberships, { id: memberId, group_id: id });
  }
}

export const groupRoutes = [listGroups, createGroup, getGroup, updateGroup, removeGroup];
