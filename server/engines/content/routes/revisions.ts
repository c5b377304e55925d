import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute, stale } from "../../../core/route.ts";
import { Id, ListQuery, withVersion } from "../../../core/schema.ts";
import { editDraft } from "../services/drafts.ts";
import { drafts, readRevision, revisions } from "../repository.ts";
import { compareContents } from "../services/text-tasks.ts";
import { Revision } from "../schema/draft.ts";
import { DraftView, deskOf, gateError, notEditable, passGate, slugTaken } from "./env.ts";
import { textErrors } from "../../../core/text-errors.ts";

const RevisionView = withVersion(Revision);
const RevisionNumber = z.coerce.number().pipe(z.int().positive().max(999_999_999));
const RevisionParams = z.object({ id: Id, n: RevisionNumber });
const params = { id: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0", n: "1" };
const noRevision = { type: "not_found", when: "No draft or revision with this id" } as const;

const listRevisions = defineRoute({
  id: "content.revisions.list",
  method: "GET",
  path: "/drafts/:id/revisions",
  summary: "List the revisions of a draft, newest first",
  query: ListQuery,
  data: z.array(RevisionView),
  example: { params: { id: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  handle: listUnder(drafts, revisions, "draft"),
});

const getRevision = defineRoute({
  id: "content.revisions.get",
  method: "GET",
  path: "/drafts/:id/revisions/:n",
  summary: "Show a revision",
  params: RevisionParams,
  data: RevisionView,
  errors: [noRevision],
  example: { params },
  handle: async ({ params: { id, n } }, { tx }) => {
    await tx.require(drafts, id);
    return item(await readRevision(tx, id, n));
  },
});

const DiffView = z.object({
  from: z.int(),
  to: z.int(),
  members: z.array(z.object({ name: z.string(), from: z.unknown(), to: z.unknown() })),
  body: z.array(z.object({ op: z.enum(["equal", "insert", "delete"]), text: z.string() })),
  unit: z.enum(["words", "lines"]),
  inserted: z.int().meta({ description: "Words that were added" }),
  deleted: z.int().meta({ description: "Words that were removed" }),
});

const diffRevisions = defineRoute({
  id: "content.revisions.diff",
  cost: 5,
  method: "GET",
  path: "/drafts/:id/revisions/:n/diff",
  summary: "Compare two revisions",
  description:
    "Returns the changes from the revision `against` to this one. Default: the preceding revision.",
  params: RevisionParams,
  query: z.object({ against: RevisionNumber.optional() }),
  data: DiffView,
  errors: [...textErrors, noRevision],
  example: {
    params,
    query: { against: 1 },
  },
  handle: async ({ params: { id, n }, query }, { tx }) => {
    await tx.require(drafts, id);
    const against = query.against ?? Math.max(1, n - 1);
    const to = await readRevision(tx, id, n);
    const from = await readRevision(tx, id, against);
    const { members, body, ...rest } = await compareContents(tx, {
      from: from.value.content,
      to: to.value.content,
    });
    return ok({ from: against, to: n, members: [...members], body: [...body], ...rest });
  },
});

const restoreRevision = defineRoute({
  id: "content.revisions.restore",
  method: "POST",
  path: "/drafts/:id/revisions/:n/restore",
  summary: "Restore an earlier revision",
  description:
    "Creates a new revision with the same content. On a published draft it is staged until it is published.",
  params: RevisionParams,
  data: DraftView,
  errors: [...textErrors, noRevision, stale, slugTaken, notEditable, gateError],
  example: { params },
  handle: async ({ params: { id, n } }, ctx) => {
    const before = await ctx.current(drafts, id);
    const work = await deskOf(ctx);
    const { content } = (await readRevision(ctx.tx, id, n)).value;
    const edit = { content, stage: true, message: `Restores revision ${n}`, source: "human" as const };
    const stored = await editDraft(work, before, edit);
    if (stored.value.status === "scheduled" && stored.value.revision !== before.value.revision) {
      await passGate(work, ctx, stored.value);
    }
    return item(stored);
  },
});

export const revisionRoutes = [listRevisions, getRevision, diffRevisions, restoreRevision];
