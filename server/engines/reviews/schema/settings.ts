import { z } from "zod";

import { Id, Instant, LanguageTag, resourceFields, TimeZone } from "../../../core/schema.ts";
import { Incentive, Target, WebUrl } from "./parts.ts";

/** A condition over facts that do not reflect an opinion of a product. Fields: `rules/moderation-rules.ts`. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: string; readonly value: string | number | boolean };

const CONDITION_OPS = ["eq", "neq", "gt", "gte", "lt", "lte", "contains"] as const;
const AnyCondition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.strictObject({
      field: z.string().min(1).max(60),
      op: z.enum(CONDITION_OPS),
      value: z.union([z.string().max(200), z.number(), z.boolean()]),
    }),
    z.strictObject({ all: z.array(AnyCondition).min(1).max(10) }),
    z.strictObject({ any: z.array(AnyCondition).min(1).max(10) }),
    z.strictObject({ not: AnyCondition }),
  ]),
);

/** Conditions of a rule, those included that combine others. */
const CONDITIONS_MAX = 100;

/** Counted before they are checked: 14,000 took 0.7 seconds, and each review is held against all of them. */
export const Condition = z
  .preprocess((value, context) => {
    if (countConditions(value) <= CONDITIONS_MAX) return value;
    const message = `A rule can have at most ${CONDITIONS_MAX} conditions. Divide it into several.`;
    context.addIssue({ code: "custom", message, input: value });
    return z.NEVER;
  }, AnyCondition)
  .meta({ description: `At most ${CONDITIONS_MAX}, those included that combine others` });

/** The objects in a value of any shape, counted up to one more than a rule can have. */
function countConditions(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : 1;
  for (const part of Object.values(value)) {
    count += countConditions(part);
    if (count > CONDITIONS_MAX) break;
  }
  return count;
}

export const ModerationRule = z.strictObject({
  if: Condition,
  // A rule has the form "if … then …" on the wire; it is never awaited.
  // oxlint-disable-next-line unicorn/no-thenable
  then: z.enum(["publish", "hold", "spam"]),
});
export type ModerationRule = z.output<typeof ModerationRule>;

export const settingsFields = {
  shop_name: z.string().trim().max(100),
  shop_url: z.union([z.literal(""), WebUrl]),
  favicon_url: z.union([z.literal(""), WebUrl]),
  product_url_template: z
    .union([
      z.literal(""),
      z
        .string()
        // The pattern takes the square of the length: it is not tried on a longer text.
        .max(500, { abort: true })
        .regex(/^https:\/\/[\x21-\x7e]*\{id\}[\x21-\x7e]*$/, "Expected an https URL with {id}."),
    ])
    .meta({
      description:
        "URL of a product's page by its id, for reviews without one: https://shop.example/products/{id}",
    }),
  timezone: TimeZone,
  locales: z.array(LanguageTag).min(1).max(20).meta({ description: "Languages used by customers" }),
  auto_publish: z.boolean().meta({
    description:
      "Publish reviews with a risk below 30 immediately, whatever the rating; otherwise all are pending",
  }),
  confirm_email: z
    .boolean()
    .meta({ description: "Require visitors to confirm their e-mail address before a review counts" }),
  moderation_rules: z
    .array(ModerationRule)
    .max(20)
    .meta({ description: "The first matching rule applies. No rule can use rating or sentiment" }),
  media_hosts: z
    .array(z.string().regex(/^[a-z0-9.-]{3,253}$/, "Expected a host name such as cdn.shop.example."))
    .max(20)
    .meta({ description: "Allowed hosts of images and videos of reviews" }),
  invitations: z.strictObject({
    enabled: z.boolean(),
    delay_days: z.int().min(0).max(90),
    category_delays: z.record(z.string().max(60), z.int().min(0).max(90)),
    remind_after_days: z
      .int()
      .min(1)
      .max(60)
      .nullable()
      .meta({ description: "Days until the only reminder; null: none" }),
    quiet_hours: z.strictObject({
      from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      to: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
    }),
    legal_basis: z.enum(["consent", "legitimate_interest"]),
    incentive: Incentive.meta({
      description: "The incentive that the invitation offers; disclosed with every resulting review",
    }),
  }),
};

export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable(),
});
export type Settings = z.output<typeof Settings>;

/** The public review policy of the store. */
export const Policy = z.strictObject({
  id: z.literal("policy"),
  text: z.string().max(20_000),
  updated_at: Instant.nullable(),
});
export type Policy = z.output<typeof Policy>;

/** A custom attribute: an additional question for reviewers. Key and type never change: averages depend on them. */
export const AttributeDefinition = z.strictObject({
  ...resourceFields,
  key: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "Expected a key such as crumb_texture."),
  label: z.string().trim().min(1).max(100),
  type: z.enum(["scale", "choice", "text"]),
  min_label: z.string().max(60).nullable(),
  max_label: z.string().max(60).nullable(),
  options: z.array(z.string().min(1).max(60)).max(20),
  applies_to: z.array(Target.shape.type).max(6).meta({ description: "Types of targets. Empty: all" }),
  archived: z.boolean(),
});
export type AttributeDefinition = z.output<typeof AttributeDefinition>;

/** Targets that share their reviews, such as the sizes of one loaf. */
export const Group = z.strictObject({
  ...resourceFields,
  name: z.string().trim().min(1).max(100),
  targets: z.array(Target).min(1).max(20),
});
export type Group = z.output<typeof Group>;

/** The group of a target; at most one. */
export const Membership = z.strictObject({ id: Id, group_id: Id });
