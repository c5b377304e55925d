import { z } from "zod";

// Parameters of Stripe's API as its OpenAPI document (version 2026-10-28) has them, for the operations that the platform uses.
// A parameter that Stripe does not know is refused, as Stripe refuses it.

const Id = z.string().max(5000);
const Flag = z.enum(["true", "false"]);
const Int = z.string().regex(/^\d{1,8}$/);
const List = <T extends z.ZodType>(item: T) => z.record(z.string().regex(/^\d+$/), item);
const Metadata = z.record(z.string().max(40), z.string().max(500));
const Page = { limit: Int.optional(), starting_after: Id.optional(), ending_before: Id.optional() };
const PaymentMethodType = z.enum(["card", "link", "sepa_debit", "bacs_debit", "paypal"]);

export const PARAMS = {
  "GET /v1/payment_intents": z.strictObject({ ...Page, customer: Id.optional() }),
  "GET /v1/payment_intents/:id": z.strictObject({ expand: List(z.string()).optional() }),
  "POST /v1/payment_intents": z.strictObject({
    amount: Int,
    currency: z.string().regex(/^[a-z]{3}$/),
    customer: Id.optional(),
    payment_method: Id.optional(),
    payment_method_types: List(PaymentMethodType).optional(),
    off_session: Flag.optional(),
    confirm: Flag.optional(),
    return_url: z.url().optional(),
    description: z.string().max(1000).optional(),
    metadata: Metadata.optional(),
  }),
  "POST /v1/payment_intents/:id/confirm": z.strictObject({
    payment_method: Id.optional(),
    off_session: Flag.optional(),
    return_url: z.url().optional(),
  }),
  "POST /v1/payment_intents/:id/cancel": z.strictObject({
    cancellation_reason: z.enum(["abandoned", "duplicate", "fraudulent", "requested_by_customer"]).optional(),
  }),
  "GET /v1/refunds": z.strictObject({ ...Page, payment_intent: Id.optional(), charge: Id.optional() }),
  "POST /v1/refunds": z.strictObject({
    payment_intent: Id,
    amount: Int.optional(),
    reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
    metadata: Metadata.optional(),
  }),
  "POST /v1/checkout/sessions": z.strictObject({
    mode: z.enum(["payment", "setup", "subscription"]),
    payment_method_types: List(PaymentMethodType).optional(),
    success_url: z.url().max(5000),
    cancel_url: z.url().max(5000).optional(),
    client_reference_id: z.string().max(200).optional(),
    customer: Id.optional(),
    customer_creation: z.enum(["always", "if_required"]).optional(),
    customer_email: z.email().max(800).optional(),
    line_items: List(
      z.strictObject({
        quantity: Int,
        price_data: z.strictObject({
          currency: z.string().regex(/^[a-z]{3}$/),
          unit_amount: Int,
          product_data: z.strictObject({ name: z.string().min(1).max(5000) }),
        }),
      }),
    ).optional(),
    metadata: Metadata.optional(),
  }),
  "GET /v1/checkout/sessions/:id": z.strictObject({ expand: List(z.string()).optional() }),
  "GET /v1/webhook_endpoints/:id": z.strictObject({}),
  "POST /v1/webhook_endpoints": z.strictObject({
    url: z.url({ protocol: /^https$/ }),
    enabled_events: List(z.string()),
    api_version: z.string().optional(),
    metadata: Metadata.optional(),
  }),
} as const;

export type Operation = keyof typeof PARAMS;

/** Nested values of a form or a query: `metadata[a]=1` is `{ metadata: { a: "1" } }`. */
export function parseForm(text: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    const last = path.pop() ?? "";
    let at = result;
    for (const part of path) {
      const next = at[part];
      at[part] = typeof next === "object" && next !== null ? next : {};
      // Created in the line above.
      at = at[part] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return result;
}
