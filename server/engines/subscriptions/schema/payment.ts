import { z } from "zod";

import { Currency, Id, Instant, Metadata, Minor, resourceFields, urlUpTo } from "../../../core/schema.ts";
import { Failure, Ref, Text } from "./parts.ts";

export const PaymentMethod = z.strictObject({
  ...resourceFields,
  customer_id: Ref,
  gateway_id: Id,
  token_ref: z
    .string()
    .min(1)
    .max(200)
    .refine(
      (token) => !/(?:\d[ -]?){13,19}/.test(token),
      "Looks like a card number. Send the gateway's token.",
    ),
  brand: z.string().max(40).nullable(),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .nullable(),
  expires: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .nullable()
    .meta({ description: "YYYY-MM, its last good month" }),
  status: z.enum(["usable", "revoked"]),
  metadata: Metadata,
});
export type PaymentMethod = z.output<typeof PaymentMethod>;

export const gatewayFields = {
  title: Text,
  kind: z.enum(["manual", "test", "external", "stripe"]),
  url: urlUpTo(500, { protocol: /^https?$/ })
    .nullable()
    .meta({
      description:
        "external: where requests are posted; stripe: another server that speaks Stripe's protocol",
    }),
  key_ttl_hours: z.int().min(1).max(720).meta({
    description:
      "How long the gateway remembers an idempotency key; an unknown attempt is resent only within",
  }),
  supports_lookup: z.boolean(),
  timeout_seconds: z.int().min(1).max(60),
  active: z.boolean(),
};
/** The URL of a gateway as it is set: the path of each request is appended to it. */
export const GatewayUrl = gatewayFields.url.refine(
  (url) => url === null || !/[?#]/.test(url),
  "Must have no query and no fragment: send it without what follows `?` or `#`.",
);

export const Gateway = z.strictObject({
  ...resourceFields,
  ...gatewayFields,
  callback_url: z.string(),
  webhook_id: z.string().nullable().default(null).meta({
    description:
      "stripe: the webhook endpoint created for this gateway; null where the service has no public https address: payments are then looked up",
  }),
});
export type Gateway = z.output<typeof Gateway>;

/** A request as the test gateway saw it, and what it did. */
export const GatewayCall = z.strictObject({
  id: Id,
  created_at: Instant,
  gateway_id: Id,
  method: z.enum(["charge", "lookup", "refund", "settle"]),
  key: z.string(),
  amount: Minor.nullable(),
  outcome: z
    .enum(["charged", "failed", "action", "pending", "lost", "replayed", "found", "not_found", "refunded"])
    .meta({
      description: "charged: money moved just now; replayed: the key was known, and nothing moved",
    }),
  answered: z.boolean().meta({ description: "False where the answer was withheld, as after a time-out" }),
});
export type GatewayCall = z.output<typeof GatewayCall>;

export const TestPayment = z.strictObject({
  id: z.string(),
  gateway_id: Id,
  created_at: Instant,
  amount: Minor,
  currency: Currency,
  state: z.enum(["succeeded", "failed", "requires_action", "pending", "lost"]),
  failure: Failure.nullable(),
  refunds: z.record(z.string(), Minor),
});
export type TestPayment = z.output<typeof TestPayment>;
