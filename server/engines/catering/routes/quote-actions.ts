import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { item } from "../../../core/reply.ts";
import { acceptQuote, closeQuote, convertQuote, sendQuote } from "../services/quote-steps.ts";
import { invalidState } from "../services/work.ts";
import { quotes } from "../repository.ts";
import { mayTake } from "../rules/quote-state.ts";
import { CATERING_LIMITS, Email, ShortNote, Text } from "../schema/parts.ts";
import { badState, creditErrors, mayManage, poErrors, cateringWorkOf } from "./env.ts";
import { quoteResource } from "./quotes.ts";

const Reason = z.strictObject({ reason: ShortNote.default("") });
const force = z
  .boolean()
  .default(false)
  .meta({ description: "Also beyond the credit limit; needs catering:manage" });

const send = quoteResource.action("send", {
  summary: "Send a draft quote by mail",
  description:
    "The version can never change again; its hash is what an acceptance is bound to. It ends when the event begins, at the latest.",
  body: z.strictObject({
    to: Email.optional().meta({ description: "Default: the address of the customer" }),
    message: z.string().trim().max(2000).default(""),
  }),
  errors: [
    badState,
    conflictWhen("no_lines", "It has no lines"),
    conflictWhen("lead_time", "The event is too close"),
    conflictWhen("below_min_spend", "It comes to less than the policy's minimum"),
    conflictWhen("over_capacity", "More heads than can be catered for"),
    conflictWhen("ends_in_the_past", "valid_until has passed"),
  ],
  example: { body: { message: "As we spoke on the phone." } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(quotes, id);
    const { to = null, message } = body;
    return item(await sendQuote(await cateringWorkOf(ctx), stored, { to, message }));
  },
});

const revise = quoteResource.action("revise", {
  summary: "Begin the next version of a quote that was sent",
  description: "The link of the version before answers 409 `superseded` from now on.",
  errors: [badState, conflictWhen("limit_reached", "It has too many versions")],
  async handle({ params: { id } }, { nowAt, tx }) {
    const stored = await tx.require(quotes, id);
    const { current_version: v, status } = stored.value;
    if (!mayTake("revise", status))
      throw invalidState(`The quote is ${status.replace("_", " ")} and is not revised.`);
    if (v >= CATERING_LIMITS.versions) {
      throw conflict("limit_reached", `A quote has at most ${CATERING_LIMITS.versions} versions.`);
    }
    return item(
      tx.put(quotes, stored, {
        ...stored.value,
        status: "draft",
        current_version: v + 1,
        hash: null,
        sent_at: null,
        first_viewed_at: null,
        reminders: [],
        updated_at: nowAt,
      }),
    );
  },
});

const withdraw = quoteResource.action("withdraw", {
  summary: "Withdraw a quote; its link becomes invalid",
  body: Reason,
  errors: [badState],
  example: { body: { reason: "We are closed that day." } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(quotes, id);
    return item(closeQuote(await cateringWorkOf(ctx), stored, { action: "withdraw", ...body }));
  },
});

const decline = quoteResource.action("decline", {
  summary: "Record that the customer declined",
  body: Reason,
  errors: [badState],
  example: { body: { reason: "Too far." } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(quotes, id);
    return item(closeQuote(await cateringWorkOf(ctx), stored, { action: "decline", ...body }));
  },
});

const accept = quoteResource.action("accept", {
  summary: "Accept a version for the customer",
  description:
    "Bound to the hash of the version that was sent. Makes the order at once where the credit bears it; accepting the same " +
    "version twice changes nothing.",
  body: z.strictObject({
    version: z.int().positive(),
    hash: z.string().max(64),
    name: Text,
    email: Email,
    po_number: z.string().trim().min(1).max(60).nullable().default(null),
    cost_centre: z.string().trim().min(1).max(40).nullable().default(null),
    force,
  }),
  errors: [
    conflictWhen("superseded", "There is a newer version"),
    conflictWhen("expired", "The quote has ended"),
    conflictWhen("withdrawn", "The quote was withdrawn"),
    conflictWhen("not_sent", "This version was not sent yet"),
    conflictWhen("already_decided", "It was declined, or accepted as something else"),
    conflictWhen("hash_mismatch", "The hash is not that of the version"),
    ...poErrors,
  ],
  example: {
    body: {
      version: 2,
      hash: "9b0f2a7d3f5c4e1db3a7c1f0e8d95a6c4b2e7f1d0c3a9b8e6d5f4c3b2a190807",
      name: "Ada Byron",
      email: "ada@office.example",
    },
  },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(quotes, id);
    const { version: v, force: isForced, ...rest } = body;
    const answer = { v, ...rest, by: "api" as const };
    return item(
      await acceptQuote(await cateringWorkOf(ctx), stored, answer, { force: isForced && mayManage(ctx) }),
    );
  },
});

const convert = quoteResource.action("convert", {
  summary: "Convert an accepted quote that exceeded the credit limit or is awaiting approval",
  description:
    "An approval is awaited unless `force` is sent: the account may have no address of an approver.",
  body: z.strictObject({ force }),
  errors: [badState, ...creditErrors, ...poErrors],
  example: { body: {} },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(quotes, id);
    return item(await convertQuote(await cateringWorkOf(ctx), stored, body.force && mayManage(ctx)));
  },
});

export const quoteActionRoutes = [send, revise, withdraw, accept, decline, convert];
