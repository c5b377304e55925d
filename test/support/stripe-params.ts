import { readFileSync } from "node:fs";

// Objects and parameters of Stripe's API as stripe-schema.json has them: see there for its source.

/** The part of JSON Schema that stripe-schema.mjs writes. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Shape;
  readonly items?: Shape;
}

export const SCHEMA: {
  readonly source: string;
  readonly objects: Readonly<Record<string, Shape>>;
  readonly params: Readonly<Record<string, Shape>>;
} = JSON.parse(readFileSync(new URL("stripe-schema.json", import.meta.url), "utf8"));

export const OPERATIONS = [
  "GET /v1/payment_intents",
  "GET /v1/payment_intents/:id",
  "POST /v1/payment_intents",
  "POST /v1/payment_intents/:id/confirm",
  "POST /v1/payment_intents/:id/cancel",
  "GET /v1/refunds",
  "POST /v1/refunds",
  "POST /v1/checkout/sessions",
  "GET /v1/checkout/sessions/:id",
  "GET /v1/webhook_endpoints/:id",
  "POST /v1/webhook_endpoints",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** An error body of Stripe. */
export interface Fault {
  readonly type:
    | "api_error"
    | "card_error"
    | "idempotency_error"
    | "invalid_request_error"
    | "rate_limit_error";
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly message: string;
  readonly doc_url?: string;
}

export class StripeError extends Error {
  readonly status: number;
  readonly fault: Fault & { readonly payment_intent?: object };
  constructor(status: number, fault: Fault & { readonly payment_intent?: object }) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
  }
}

const docUrl = (code: string): string => `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}`;

export function invalid(
  code: string,
  message: string,
  { status = 400, param }: { status?: number; param?: string } = {},
) {
  const named = param === undefined ? {} : { param };
  return new StripeError(status, {
    type: "invalid_request_error",
    code,
    doc_url: docUrl(code),
    message,
    ...named,
  });
}

type Tree = { [name: string]: string | Tree };

/** Nested values of a form or a query: `metadata[a]=1` is `{ metadata: { a: "1" } }`. */
function parseForm(text: string): Tree {
  const result: Tree = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    const last = path.pop() ?? "";
    let at = result;
    for (const part of path) {
      const next = at[part];
      const inner: Tree = typeof next === "object" ? next : {};
      at[part] = inner;
      at = inner;
    }
    at[last] = value;
  }
  return result;
}

/** The parameters of an operation. Throws what Stripe answers where one is unknown, missing or of another type. */
export const readParams = (operation: Operation, text: string): unknown =>
  read(SCHEMA.params[operation] ?? {}, parseForm(text), "");

const nameIn = (path: string, name: string): string => (path === "" ? name : `${path}[${name}]`);
const METADATA = { keys: 50, name: 40, value: 500 };

function read(shape: Shape, value: string | Tree, path: string): unknown {
  const types = typeof shape.type === "string" ? [shape.type] : (shape.type ?? []);
  if (typeof value === "string") return readText(shape, types, value, path);
  if (types.includes("array"))
    return Object.entries(value).map(([index, item]) => read(shape.items ?? {}, item, nameIn(path, index)));
  if (types.length > 0 && !types.includes("object"))
    throw invalid("parameter_invalid_string", `Invalid string: ${JSON.stringify(value)}`, { param: path });
  if (shape.properties === undefined) return readFree(shape, value, path);
  for (const name of Object.keys(value)) {
    const param = nameIn(path, name);
    if (shape.properties[name] === undefined)
      throw invalid("parameter_unknown", `Received unknown parameter: ${param}`, { param });
  }
  for (const name of shape.required ?? []) {
    const param = nameIn(path, name);
    if (value[name] === undefined)
      throw invalid("parameter_missing", `Missing required param: ${param}.`, { param });
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      read(shape.properties?.[name] ?? {}, item, nameIn(path, name)),
    ]),
  );
}

function readFree(shape: Shape, value: Tree, path: string): unknown {
  if (typeof shape.additionalProperties !== "object") return value;
  const entries = Object.entries(value);
  if (entries.length > METADATA.keys)
    throw invalid("parameter_invalid", `You can have up to ${METADATA.keys} keys.`, { param: path });
  for (const [name, item] of entries) {
    const param = nameIn(path, name);
    if (name.length > METADATA.name)
      throw invalid("parameter_invalid_string_length", "Metadata keys must be under 40 characters.", {
        param,
      });
    if (typeof item !== "string")
      throw invalid("parameter_invalid_string", `Invalid string: ${JSON.stringify(item)}`, { param });
    if (item.length > METADATA.value)
      throw invalid("parameter_invalid_string_length", "Metadata values must be under 500 characters.", {
        param,
      });
  }
  return value;
}

function readText(shape: Shape, types: readonly string[], value: string, param: string): unknown {
  if (types.length === 0) return value;
  if (value === "" && !types.includes("string"))
    throw invalid("parameter_invalid_empty", `You passed an empty string for '${param}'.`, { param });
  if (types.includes("integer") && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
  if (!types.includes("string")) {
    const kind = types.includes("integer")
      ? "integer"
      : types.includes("boolean")
        ? "boolean"
        : (types[0] ?? "string");
    throw invalid(`parameter_invalid_${kind}`, `Invalid ${kind}: ${value}`, { param });
  }
  if (value === "") {
    const reason = "We assume empty values are an attempt to unset a parameter";
    throw invalid("parameter_invalid_empty", `You passed an empty string for '${param}'. ${reason}.`, {
      param,
    });
  }
  if (shape.enum !== undefined && !shape.enum.includes(value))
    throw invalid("parameter_invalid", `Invalid ${param}: must be one of ${shape.enum.join(", ")}`, {
      param,
    });
  if (param.endsWith("url") && !URL.canParse(value.replaceAll(/[{}]/g, "")))
    throw invalid("url_invalid", "Not a valid URL", { param });
  return value;
}

/** Parameters as the operations of the double use them. */
export interface IntentParams {
  readonly amount: number;
  readonly currency: string;
  readonly customer?: string;
  readonly payment_method?: string;
  readonly allowed_payment_method_types?: readonly string[];
  readonly off_session?: boolean | string;
  readonly confirm?: boolean;
  readonly return_url?: string;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}
export type ConfirmParams = Pick<IntentParams, "payment_method" | "off_session" | "return_url">;

export interface ListParams {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly customer?: string;
  readonly payment_intent?: string;
}

export interface RefundParams {
  readonly payment_intent?: string;
  readonly amount?: number;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface SessionParams {
  readonly mode?: "payment" | "setup" | "subscription";
  readonly success_url?: string;
  readonly cancel_url?: string;
  readonly client_reference_id?: string;
  readonly currency?: string;
  readonly customer?: string;
  readonly customer_creation?: string;
  readonly customer_email?: string;
  readonly allowed_payment_method_types?: readonly string[];
  readonly line_items?: readonly {
    readonly quantity?: number;
    readonly price_data?: {
      readonly currency: string;
      readonly unit_amount?: number;
      readonly product_data?: { readonly name: string };
    };
  }[];
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface EndpointParams {
  readonly url: string;
  readonly enabled_events: readonly string[];
  readonly api_version?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}
