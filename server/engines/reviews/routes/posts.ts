import { z } from "zod";

import type { Collection } from "../../../core/collection.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import { empty, item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Route } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { castVote } from "../services/ballots.ts";
import { reviewWorkOf } from "../services/work.ts";
import type { ReviewWork } from "../services/work.ts";
import { withVotes } from "../services/posts.ts";
import type { Move } from "../services/posts.ts";
import { RejectionReason } from "../schema/parts.ts";
import { POST_STATUSES, Votes } from "../schema/question.ts";
import type { Answer, Question } from "../schema/question.ts";
import { badState, voterOf } from "./env.ts";
import { Note } from "./moderation.ts";
import { VisitorId } from "./review-actions.ts";

type Served<T> = T & { version: number };

interface PostDef<T> {
  /** Path below the engine, and the middle part of the route ids. */
  readonly path: "questions" | "answers";
  /** For summaries, with its article. */
  readonly name: string;
  readonly collection: Collection<T>;
  readonly data: z.ZodType<Served<T>, Served<T>>;
  /** Id of one in the demo data. */
  readonly example: string;
  readonly move: (tx: Tx, work: ReviewWork, stored: Stored<T>, move: Move) => Stored<T> | Promise<Stored<T>>;
  readonly vote: string;
}

/** Response for the author: the resulting status. */
export const PostReceipt = z.strictObject({ id: Id, status: z.enum(POST_STATUSES) });

/** Actions on questions and answers: change the status, erase, vote. */
export const postRoutes = <T extends Question | Answer>(
  def: PostDef<T>,
): Readonly<Record<"decide" | "erase" | "vote", Route>> => ({
  decide: decideRoute(def),
  erase: eraseRoute(def),
  vote: voteRoute(def),
});

function decideRoute<T extends Question | Answer>({ path, name, collection, ...def }: PostDef<T>): Route {
  return defineRoute({
    id: `reviews.${path}.decide`,
    method: "PUT",
    path: `/${path}/:id/status`,
    scope: "manage",
    summary: `Change the status of ${name}: publish, reject, mark or unmark as spam`,
    body: z.strictObject({
      status: z.enum(["published", "rejected", "spam", "pending"]),
      reason: RejectionReason.optional().meta({ description: "Required for a rejection" }),
      note: Note,
    }),
    data: def.data,
    errors: [badState],
    example: {
      params: { id: def.example },
      body: { status: "spam" },
    },
    async handle({ params: { id }, body: { status, ...grounds } }, ctx) {
      if (status === "rejected" && grounds.reason === undefined) {
        throw invalidField(["reason"], "`reason` is required for a rejection.");
      }
      const stored = await ctx.current(collection, id);
      return item(await def.move(ctx.tx, reviewWorkOf(ctx), stored, { ...grounds, action: ACTIONS[status] }));
    },
  });
}

const ACTIONS = { published: "approve", rejected: "reject", spam: "spam", pending: "unspam" } as const;

const eraseRoute = <T extends Question | Answer>({ path, name, collection, ...def }: PostDef<T>): Route =>
  defineRoute({
    id: `reviews.${path}.erase`,
    method: "DELETE",
    path: `/${path}/:id`,
    scope: "manage",
    summary: `Erase ${name}`,
    data: z.null(),
    errors: [badState],
    example: { params: { id: def.example } },
    async handle({ params: { id } }, ctx) {
      await def.move(ctx.tx, reviewWorkOf(ctx), await ctx.current(collection, id), { action: "erase" });
      return empty();
    },
  });

const voteRoute = <T extends Question | Answer>({ path, collection, ...def }: PostDef<T>): Route =>
  defineRoute({
    id: `reviews.${path}.vote`,
    method: "POST",
    path: `/${path}/:id/votes`,
    open: "submit",
    summary: def.vote,
    body: z.strictObject({ helpful: z.boolean(), visitor_id: VisitorId }),
    data: z.strictObject({ id: Id, votes: Votes }),
    example: {
      params: { id: def.example },
      body: { helpful: true, visitor_id: "cus-88" },
    },
    async handle({ params: { id }, body: { helpful, visitor_id: named } }, ctx) {
      const stored = await ctx.tx.require(collection, id);
      if (ctx.isPublic && stored.value.status !== "published") throw fail("not_found", "No such resource.");
      const votes = await castVote(ctx.tx, reviewWorkOf(ctx), stored.value.votes, {
        subject: id,
        ...voterOf(ctx, named),
        helpful,
      });
      return ok({ id, votes: withVotes(ctx.tx, collection, stored, votes).value.votes });
    },
  });
