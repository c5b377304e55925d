// Writes stripe-schema.json: members and parameters of Stripe's API, from the types of Stripe's package, which are generated from its OpenAPI document.
// npm pack stripe@23.1.0 && tar xzf stripe-*.tgz && node test/support/stripe-schema.mjs package
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const ts = createRequire(new URL("../clients/package.json", import.meta.url))("typescript");
const folder = resolve(process.argv[2] ?? "package");
const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
const [, apiVersion] = /'(\d{4}-.*)'/.exec(readFileSync(`${folder}/esm/apiVersion.js`, "utf8"));

/** File, name of the type, and the members whose own members are listed too. */
const OBJECTS = {
  payment_intent: [
    "PaymentIntents",
    "PaymentIntent",
    ["last_payment_error", "next_action", "next_action.redirect_to_url"],
  ],
  refund: ["Refunds", "Refund", []],
  "checkout.session": [
    "Checkout/Sessions",
    "Session",
    ["setup_intent", "setup_intent.payment_method", "setup_intent.payment_method.card", "custom_text"],
  ],
  setup_intent: ["SetupIntents", "SetupIntent", []],
  payment_method: ["PaymentMethods", "PaymentMethod", ["card", "billing_details"]],
  webhook_endpoint: ["WebhookEndpoints", "WebhookEndpoint", []],
  dispute: ["Disputes", "Dispute", ["evidence_details"]],
};
const PARAMS = {
  "GET /v1/payment_intents": ["PaymentIntents", "PaymentIntentListParams", ["expand"]],
  "GET /v1/payment_intents/:id": ["PaymentIntents", "PaymentIntentRetrieveParams", ["expand"]],
  "POST /v1/payment_intents": [
    "PaymentIntents",
    "PaymentIntentCreateParams",
    ["allowed_payment_method_types", "metadata", "expand"],
  ],
  "POST /v1/payment_intents/:id/confirm": ["PaymentIntents", "PaymentIntentConfirmParams", ["expand"]],
  "POST /v1/payment_intents/:id/cancel": ["PaymentIntents", "PaymentIntentCancelParams", ["expand"]],
  "GET /v1/refunds": ["Refunds", "RefundListParams", ["expand"]],
  "POST /v1/refunds": ["Refunds", "RefundCreateParams", ["metadata", "expand"]],
  "POST /v1/checkout/sessions": [
    "Checkout/Sessions",
    "SessionCreateParams",
    [
      "allowed_payment_method_types",
      "metadata",
      "expand",
      "line_items",
      "line_items.price_data",
      "line_items.price_data.product_data",
    ],
  ],
  "GET /v1/checkout/sessions/:id": ["Checkout/Sessions", "SessionRetrieveParams", ["expand"]],
  "GET /v1/webhook_endpoints/:id": ["WebhookEndpoints", "WebhookEndpointRetrieveParams", ["expand"]],
  "POST /v1/webhook_endpoints": [
    "WebhookEndpoints",
    "WebhookEndpointCreateParams",
    ["enabled_events", "metadata", "expand"],
  ],
};

const fileOf = (name) => `${folder}/esm/resources/${name}.d.ts`;
const files = [...Object.values(OBJECTS), ...Object.values(PARAMS)].map(([name]) => fileOf(name));
const program = ts.createProgram([...new Set(files)], {
  strict: true,
  skipLibCheck: true,
  module: 199,
  moduleResolution: 99,
});
const checker = program.getTypeChecker();

function typeOf(file, name) {
  const exported = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(fileOf(file))),
  );
  // Parameters of Checkout are in a namespace.
  const inner = exported
    .filter(({ flags }) => flags & ts.SymbolFlags.Namespace)
    .flatMap((one) => checker.getExportsOfModule(one));
  return checker.getDeclaredTypeOfSymbol([...exported, ...inner].find((one) => one.name === name));
}

function schemaOf(type, path, wanted) {
  const parts = type.isUnion() ? type.types : [type];
  const has = (flag) => parts.some((part) => part.flags & flag);
  const kinds = new Set();
  if (has(ts.TypeFlags.Null)) kinds.add("null");
  if (has(ts.TypeFlags.BooleanLike)) kinds.add("boolean");
  if (has(ts.TypeFlags.NumberLike)) kinds.add("integer");
  const literals = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
  const isOpen = parts.some((part) => part.flags & ts.TypeFlags.String);
  if (literals.length > 0 || isOpen) kinds.add("string");
  const objects = parts.filter((part) => part.flags & ts.TypeFlags.Object);
  const schema = {};
  for (const object of objects) {
    const isArray = checker.isArrayType(object);
    kinds.add(isArray ? "array" : "object");
    if (!wanted.includes(path) && path !== "") continue;
    if (isArray) schema.items = schemaOf(checker.getTypeArguments(object)[0], path, wanted);
    else if (object.getStringIndexType() !== undefined)
      schema.additionalProperties = { type: ["string", "integer"] };
    else Object.assign(schema, membersOf(object, path, wanted));
  }
  const list = [...kinds];
  if (list.length > 0) schema.type = list.length === 1 ? list[0] : list;
  if (
    literals.length > 0 &&
    !isOpen &&
    objects.length === 0 &&
    list.every((kind) => kind === "string" || kind === "null")
  )
    schema.enum = [...literals, ...(kinds.has("null") ? [null] : [])];
  return schema;
}

function membersOf(type, path, wanted) {
  const properties = {};
  const required = [];
  for (const symbol of checker.getPropertiesOfType(type)) {
    const inner = path === "" ? symbol.name : `${path}.${symbol.name}`;
    const own = checker.getTypeOfSymbol(symbol);
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    properties[symbol.name] = schemaOf(isOptional ? checker.getNonNullableType(own) : own, inner, wanted);
    if (isOptional && own.isUnion() && own.types.some(({ flags }) => flags & ts.TypeFlags.Null))
      properties[symbol.name].type = [properties[symbol.name].type, "null"].flat();
    if (!isOptional) required.push(symbol.name);
  }
  return { properties, required, additionalProperties: false };
}

const all = (table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, [file, type, wanted]]) => [
      name,
      schemaOf(typeOf(file, type), "", wanted),
    ]),
  );
const text = JSON.stringify({
  source: `Types of the npm package stripe ${version} (MIT), API version ${apiVersion}`,
  objects: all(OBJECTS),
  params: all(PARAMS),
});
writeFileSync(new URL("stripe-schema.json", import.meta.url), `${text}\n`);
