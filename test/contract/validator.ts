import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

import { ERRORS } from "../../server/lib/errors.ts";
import { follow, treeOf } from "./document.ts";
import { createMatch } from "../support/match.ts";
import type { Endpoint, Namespace } from "../../server/http/namespace.ts";
import { createOpenApi } from "../../server/openapi/document.ts";
import { errorTypes, headersOf } from "../../server/openapi/errors.ts";
import { KEY_HEADERS } from "../../server/openapi/headers.ts";
import { toTemplate } from "../../server/openapi/operation.ts";

// Every answer of every test passes through here: what is sent must be what the served document promises.

export interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Tree = Readonly<Record<string, unknown>>;

const DOCUMENT = "document";

/** Makes the check that the harness runs on each answer; it throws, naming the operation and the difference. */
export function createAnswerCheck(namespaces: readonly Namespace[], baseUrl: string) {
  const match = createMatch(namespaces);
  const document = createOpenApi({
    namespaces,
    events: [],
    baseUrl,
    version: "0.0.0",
    introduction: () => "",
  });
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(closed(document, document) as Tree, DOCUMENT);

  /** Validator of the schema at a place of the document; compiled at first use. */
  const validatorAt = (...place: string[]): ValidateFunction | null =>
    at(document, place) === undefined ? null : (ajv.getSchema(`${DOCUMENT}#${pointer(place)}`) ?? null);

  function assertValid(where: string, value: unknown, place: string[]): void {
    const validate = validatorAt(...place);
    if (validate === null) throw new Error(`${where}: nothing is documented at ${place.join(" / ")}`);
    if (validate(value)) return;
    throw new Error(`${where}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value).slice(0, 2000)}`);
  }

  return function check(method: string, path: string, answer: SeenAnswer): void {
    const where = `${method} ${path} → ${answer.status}`;
    assertCommon(where, answer);
    if (answer.status >= 400) assertProblem(where, method, answer, assertValid);
    const endpoint = findEndpoint(match, method, path);
    if (endpoint === null || endpoint.route.hidden || method === "OPTIONS") return;
    const place = ["paths", toTemplate(endpoint.path), endpoint.route.method.toLowerCase(), "responses"];
    const response = resolveResponse(document, place, answer.status);
    if (response === null) throw new Error(`${where}: the status is not documented for ${endpoint.route.id}`);
    assertHeaders(where, document, response.value, answer.headers);
    if (endpoint.namespace.auth === "key" && answer.status < 400) assertKeyHeaders(where, answer.headers);
    // The same errors, told to a browser on a page.
    const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
    if (endpoint.route.page && isPage) return;
    const shared = resolve(document, [...place, "default"])?.value;
    assertCode(where, [response.value, shared], answer);
    if (method === "HEAD" || at(response.value, ["content"]) === undefined) {
      if (answer.text !== "") throw new Error(`${where}: a body where none is documented`);
    } else assertContent(where, response, answer, assertValid);
  };
}

function findEndpoint(match: ReturnType<typeof createMatch>, method: string, path: string): Endpoint | null {
  const endpoints = Object.values(match(path).entry?.endpoints ?? {});
  return endpoints.find(({ route }) => route.method === (method === "HEAD" ? "GET" : method)) ?? null;
}

/** Headers of every answer there is. */
function assertCommon(where: string, { headers }: SeenAnswer): void {
  const id = headers.get("x-request-id") ?? "";
  if (!/^req_[0-9A-HJKMNP-TV-Z]{26}$/.test(id)) throw new Error(`${where}: X-Request-Id is "${id}"`);
  if (headers.get("x-content-type-options") !== "nosniff") throw new Error(`${where}: no nosniff`);
  if (headers.get("cache-control") === null) throw new Error(`${where}: no Cache-Control`);
}

type AssertValid = (where: string, value: unknown, place: string[]) => void;

/** The specification's error object, whatever was asked for. */
function assertProblem(where: string, method: string, answer: SeenAnswer, assertValid: AssertValid): void {
  if (answer.headers.get("content-type")?.startsWith("text/html") === true) return;
  if (answer.headers.get("content-type") !== "application/problem+json") {
    throw new Error(`${where}: an error as ${answer.headers.get("content-type")}`);
  }
  if (method === "HEAD") return;
  const body: unknown = JSON.parse(answer.text);
  assertValid(where, body, ["components", "schemas", "Problem"]);
  const error = at(body, ["error"]);
  const type = String(at(error, ["type"]));
  const row = Object.entries(ERRORS).find(([name]) => name === type)?.[1];
  for (const name of errorTypes()
    .filter((known) => known === type)
    .flatMap(headersOf))
    if (answer.headers.get(name) === null) throw new Error(`${where}: no ${name} header`);
  if (
    row?.status !== answer.status ||
    row.title !== at(error, ["title"]) ||
    row.status !== at(error, ["status"])
  ) {
    throw new Error(`${where}: not a row of the error table: ${answer.text}`);
  }
  // The specification's own rows have exactly its four members.
  const isTabled = answer.status === 401 || answer.status === 403 || answer.status === 429;
  // It knows neither publishable keys, web pages nor roles of operators: what they are refused for has a code.
  const isOurOwn = answer.status === 403 && OWN_CODES.has(String(at(error, ["code"])));
  if (isTabled && !isOurOwn && Object.keys(Object(error)).length !== 4)
    throw new Error(`${where}: extra members: ${answer.text}`);
}

const OWN_CODES = new Set([
  "insufficient_role",
  "insufficient_scope",
  "origin_not_allowed",
  "secret_key_in_browser",
]);

function assertHeaders(where: string, document: Tree, response: unknown, headers: Headers): void {
  for (const name of Object.keys(Object(at(response, ["headers"])))) {
    const header = resolve(document, ["components", "headers", name])?.value;
    const value = headers.get(name);
    if (value === null && at(header, ["required"]) === true) throw new Error(`${where}: no ${name} header`);
    const pattern = at(header, ["schema", "pattern"]);
    const isInteger = at(header, ["schema", "type"]) === "integer";
    if (value === null) continue;
    if (isInteger && !/^\d+$/.test(value)) throw new Error(`${where}: ${name} is "${value}"`);
    if (typeof pattern === "string" && !new RegExp(pattern).test(value))
      throw new Error(`${where}: ${name} is "${value}"`);
  }
}

/** What is documented once, because every request with a key is answered so. */
function assertKeyHeaders(where: string, headers: Headers): void {
  for (const name of KEY_HEADERS) {
    if (name !== "X-Key-Expires-At" && headers.get(name) === null)
      throw new Error(`${where}: no ${name} header`);
  }
}

/** An engine's own word for what happened must be declared by the route that uses it. */
function assertCode(where: string, responses: readonly unknown[], answer: SeenAnswer): void {
  if (answer.status < 400 || answer.text === "") return;
  const code = at(JSON.parse(answer.text), ["error", "code"]);
  const codes = responses.flatMap((response) => at(response, ["x-codes"]));
  if (code === undefined || codes.includes(code)) return;
  throw new Error(`${where}: the code ${JSON.stringify(code)} is not declared by the route`);
}

function assertContent(
  where: string,
  response: Resolved,
  answer: SeenAnswer,
  assertValid: AssertValid,
): void {
  const content = at(response.value, ["content"]);
  const type = answer.headers.get("content-type") ?? "";
  const documented = Object.keys(Object(content));
  const found = documented.find((candidate) => candidate === type || type.startsWith(`${candidate};`));
  if (found === undefined)
    throw new Error(`${where}: "${type}" is not documented, but ${documented.join(", ")}`);
  const value: unknown = /[/+]json$/.test(found) ? JSON.parse(answer.text) : answer.text;
  assertValid(where, value, [...response.place, "content", found, "schema"]);
}

interface Resolved {
  readonly place: string[];
  readonly value: unknown;
}

/** What is documented for a status: under its own number, or as one of those that `default` lists. */
function resolveResponse(document: Tree, place: string[], status: number): Resolved | null {
  const own = resolve(document, [...place, String(status)]);
  if (own !== null) return own;
  const shared = resolve(document, [...place, "default"]);
  const statuses = at(shared?.value, ["x-statuses"]);
  return Array.isArray(statuses) && statuses.includes(status) ? shared : null;
}

/** The object at a place, one reference followed. */
function resolve(document: Tree, place: string[]): Resolved | null {
  const value = at(document, place);
  const ref = at(value, ["$ref"]);
  if (typeof ref !== "string") return value === undefined ? null : { place, value };
  const target = ref.slice(2).split("/");
  return { place: target, value: at(document, target) };
}

function at(value: unknown, place: readonly string[]): unknown {
  let found: unknown = value;
  for (const part of place) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = Reflect.get(found, part);
  }
  return found;
}

const pointer = (place: readonly string[]): string =>
  place.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

/**
 * The document with its objects closed. Clients must expect members that come later, so the document leaves answers
 * open; but a member sent today that it does not describe is a mistake of ours.
 */
function closed(root: Tree, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => closed(root, member));
  if (typeof value !== "object" || value === null) return value;
  // What is inherited is in the object that is closed.
  const whole = "allOf" in value ? treeOf(follow(root, value)) : value;
  const entries = Object.entries(whole).map(([name, member]): [string, unknown] => [
    name,
    name === "example" ? member : closed(root, member),
  ]);
  const isOpen =
    at(whole, ["type"]) === "object" && "properties" in whole && !("additionalProperties" in whole);
  return Object.fromEntries(isOpen ? [...entries, ["additionalProperties", false]] : entries);
}
