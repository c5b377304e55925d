import { createHmac } from "node:crypto";

import { Ajv } from "ajv";
import { z } from "zod";

import { SCHEMA } from "./stripe-params.ts";
import type { Shape } from "./stripe-params.ts";

const List = z.strictObject({
  object: z.literal("list"),
  url: z.string(),
  has_more: z.boolean(),
  data: z.array(z.unknown()),
});

const ajv = new Ajv({ strict: false, allErrors: true });
const validators = new Map(Object.entries(SCHEMA.objects).map(([kind, shape]) => [kind, ajv.compile(shape)]));

/** What is wrong with an object or a list of Stripe by its schema, those inside of it included; [] for nothing. */
export function faultsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || !("object" in value)) return ["no object"];
  const { object: kind } = value;
  if (kind === "list") {
    const list = List.safeParse(value);
    return list.success ? list.data.data.flatMap(faultsOf) : [list.error.message];
  }
  const validate = validators.get(String(kind));
  if (validate === undefined) return [`no schema of ${String(kind)}`];
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath: at, message, params }) => `${String(kind)}${at} ${message} ${JSON.stringify(params)}`,
  );
}

/** What an object has where a test or the double does not say anything else. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  payment_intent: {
    amount: 1000,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: "automatic_async",
    confirmation_method: "automatic",
    currency: "gbp",
    payment_method_types: ["card"],
    status: "requires_payment_method",
  },
  refund: { amount: 1000, currency: "gbp", status: "succeeded" },
  "checkout.session": {
    adaptive_pricing: { enabled: false },
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    expires_at: 0,
    mode: "setup",
    payment_method_collection: "always",
    payment_method_types: ["card"],
    payment_status: "no_payment_required",
    ui_mode: "hosted_page",
  },
  setup_intent: { payment_method_types: ["card"], status: "succeeded", usage: "off_session" },
  payment_method: {
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    type: "card",
  },
  dispute: {
    amount: 1000,
    charge: "ch_other",
    currency: "gbp",
    evidence_details: {
      due_by: null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    reason: "general",
    status: "needs_response",
  },
  webhook_endpoint: { status: "enabled" },
};

/** An object of Stripe with all of its members. */
export function stripeObject<V extends object>(
  kind: string,
  values: V,
  created = 0,
): V & { object: string; created: number } {
  const { required = [], properties = {} }: Shape = SCHEMA.objects[kind] ?? {};
  const known: Readonly<Record<string, unknown>> = { object: kind, created, ...DEFAULTS[kind] };
  const filled = required.map((name) => [name, known[name] ?? emptyOf(properties[name] ?? {})]);
  return { ...Object.fromEntries(filled), object: kind, created, ...values };
}

function emptyOf({ type = [] }: Shape): unknown {
  const types = typeof type === "string" ? [type] : type;
  if (types.includes("null")) return null;
  if (types.includes("boolean")) return false;
  if (types.includes("array")) return [];
  return types.includes("object") ? {} : undefined;
}

/** A delivery as Stripe signs it. */
export function signEvent(body: string, secret: string, seconds: number) {
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { body, headers: { "stripe-signature": `t=${seconds},v1=${signature},v0=ignored` } };
}
