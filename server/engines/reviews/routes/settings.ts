import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import { z } from "zod";

import { invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute, stale } from "../../../core/route.ts";
import { policyDocs, readPolicy, reviewSettings } from "../repository.ts";
import { findRuleProblem } from "../rules/moderation-rules.ts";
import { makeToken } from "../../../core/link-token.ts";
import { Policy, Settings, settingsFields } from "../schema/settings.ts";
import { inherited } from "../../../core/settings.ts";

const View = Settings.extend({
  feed_url: z.string().meta({
    description: "The Google feed under a signed link that requires no key; keep it secret",
  }),
});
const feedUrl = ({ ports, tx }: Ctx): string =>
  `${ports.baseUrl}/api/public/reviews/feeds/${makeToken(ports, "reviews.feed", tx.part, "google")}`;

const get = defineRoute({
  id: "reviews.settings.get",
  method: "GET",
  path: "/settings",
  summary: "Show the review settings",
  data: View,
  handle: async (_, ctx) => ok({ ...(await reviewSettings.read(ctx.tx)), feed_url: feedUrl(ctx) }),
});

const update = defineRoute({
  id: "reviews.settings.update",
  method: "PATCH",
  path: "/settings",
  scope: "manage",
  summary: "Change the review settings",
  description:
    "Rules that publish, hold or reject by rating or opinion are refused: moderation rules can use risk, signal, " +
    "verification, incentive, relationship, collection_method, locale, country, target_type, has_media and has_email.",
  body: z
    .strictObject({
      ...settingsFields,
      ...inherited(settingsFields, ["shop_name", "shop_url", "timezone"]),
      invitations: settingsFields.invitations.partial(),
    })
    .partial(),
  data: View,
  errors: [
    stale,
    unprocessableWhen("sentiment_conditional_moderation", "A moderation rule uses the rating or an opinion"),
  ],
  example: {
    body: { shop_name: DEMO_SHOP_NAME, auto_publish: true },
  },
  async handle({ body: { invitations, ...body } }, ctx) {
    const problem = findRuleProblem(body.moderation_rules ?? []);
    if (problem !== null) {
      throw invalidField(["moderation_rules", ...problem.path], problem.detail, problem.code);
    }
    const before = await reviewSettings.show(ctx.tx);
    ctx.requireVersion(before.version);
    const merged = { ...before.value.invitations, ...defined(invitations ?? {}) };
    const change = { ...defined(body), ...(invitations === undefined ? {} : { invitations: merged }) };
    const { value: next } = await reviewSettings.save(ctx.tx, change, ctx.nowAt);
    return ok({ ...next, feed_url: feedUrl(ctx) });
  },
});

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** A patch without its omitted fields. */
const defined = <T extends object>(patch: T): Partial<Defined<T>> => {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined);
  // Only missing fields were removed.
  return Object.fromEntries(entries) as Partial<Defined<T>>;
};

const getPolicy = defineRoute({
  id: "reviews.policy.get",
  method: "GET",
  path: "/policy",
  open: "public",
  summary: "Show the public review policy",
  data: Policy,
  handle: async (_, { tx }) => ok(await readPolicy(tx)),
});

const putPolicy = defineRoute({
  id: "reviews.policy.put",
  method: "PUT",
  path: "/policy",
  scope: "manage",
  summary: "Replace the review policy",
  description:
    "UK law (DMCC Act 2024, Sch. 20 §13) requires traders to publish a clear policy on reviews. The default policy " +
    "describes how the service handles reviews.",
  body: z.strictObject({ text: z.string().trim().min(1).max(20_000) }),
  data: Policy,
  errors: [stale],
  example: {
    body: { text: "How we handle reviews …" },
  },
  async handle({ body: { text } }, ctx) {
    const next: Policy = { id: "policy", text, updated_at: ctx.nowAt };
    const stored = await ctx.tx.get(policyDocs, "policy");
    if (stored === null) ctx.tx.create(policyDocs, next);
    else ctx.tx.put(policyDocs, await ctx.current(policyDocs, "policy"), next);
    return ok(next);
  },
});

export const settingsRoutes = [get, update, getPolicy, putPolicy];
