import { follow, listOf, memberOf, operationsOf, responsesOf, treeOf, webhooksOf } from "./document.ts";
import type { DocumentedOperation, Tree } from "./document.ts";

/*
 * What a client of one document can no longer do with another: a route, member or value that was removed, a member that is
 * required now, a type or a bound that became narrower. Additions break nobody: responses are open, requests may omit them.
 */

/** `request`: what was accepted must be accepted. `response`: what was promised must be kept. */
type Direction = "request" | "response";

interface Pair {
  readonly direction: Direction;
  readonly before: unknown;
  readonly after: unknown;
  /** Both documents, for their references. */
  readonly roots: { readonly before: unknown; readonly after: unknown };
  readonly place: string;
  /** Pairs that are being compared further up: a recursive schema ends there. */
  readonly within: readonly string[];
}

/** One line in words for each break, in the order of the older document. */
export function breaksBetween(before: unknown, after: unknown): string[] {
  const roots = { before, after };
  const all = (document: unknown) => [...operationsOf(document), ...webhooksOf(document)];
  const current = new Map(all(after).map((operation) => [operation.title, operation]));
  return all(before).flatMap((operation) => {
    const now = current.get(operation.title);
    const found = now === undefined ? ["was removed"] : operationBreaks(operation, now, roots);
    return [...new Set(found)].map((text) => `${operation.title}: ${text}`);
  });
}

function operationBreaks(old: DocumentedOperation, now: DocumentedOperation, roots: Pair["roots"]): string[] {
  const base = { roots, within: [] };
  const [before, after] = [old.operation, now.operation];
  return [
    ...scopeBreaks(before, after),
    ...parameterBreaks(old, now, roots),
    ...bodyBreaks(before, after, roots),
    ...Array.from(responsesOf(roots.before, before)).flatMap(([status, response]) => {
      if (status >= 400) return [];
      const answer = responsesOf(roots.after, after).get(status);
      if (answer === undefined) return [`the response ${status} was removed`];
      return Object.entries(treeOf(response["content"])).flatMap(([type, media]) => {
        const other = memberOf(answer, "content", type);
        if (other === undefined) return [`the response ${status} is no longer sent as ${type}`];
        return schemaBreaks({
          ...base,
          direction: "response",
          before: memberOf(media, "schema"),
          after: memberOf(other, "schema"),
          place: `response ${status}`,
        });
      });
    }),
  ];
}

function scopeBreaks(before: Tree, after: Tree): string[] {
  const [was, is] = [before, after].map(({ security }) => JSON.stringify(security));
  return was === is || is === "[]" ? [] : [`the caller needs ${is} instead of ${was}`];
}

function parameterBreaks(old: DocumentedOperation, now: DocumentedOperation, roots: Pair["roots"]): string[] {
  const keyOf = ({ in: place, name }: Tree): string => `${String(place)} parameter ${String(name)}`;
  const before = new Map(old.parameters.map((parameter) => [keyOf(parameter), parameter]));
  const after = new Map(now.parameters.map((parameter) => [keyOf(parameter), parameter]));
  const added = [...after].filter(
    ([key, { required }]) => required === true && before.get(key)?.["required"] !== true,
  );
  return [
    ...added.map(([key]) => `the ${key} is now required`),
    ...[...before].flatMap(([key, parameter]) => {
      const other = after.get(key);
      if (other === undefined) return [`the ${key} was removed`];
      return schemaBreaks({
        roots,
        within: [],
        direction: "request",
        before: parameter["schema"],
        after: other["schema"],
        place: key,
      });
    }),
  ];
}

function bodyBreaks(before: Tree, after: Tree, roots: Pair["roots"]): string[] {
  const old = memberOf(before, "requestBody");
  const now = memberOf(after, "requestBody");
  if (now === undefined) return old === undefined ? [] : ["the request body was removed"];
  const isRequired = memberOf(now, "required") === true && memberOf(old, "required") !== true;
  return [
    ...(isRequired ? ["the request body is now required"] : []),
    ...Object.entries(treeOf(memberOf(old, "content"))).flatMap(([type, media]) => {
      const other = memberOf(now, "content", type);
      if (other === undefined) return [`a request body of ${type} is no longer accepted`];
      return schemaBreaks({
        roots,
        within: [],
        direction: "request",
        before: memberOf(media, "schema"),
        after: memberOf(other, "schema"),
        place: "body",
      });
    }),
  ];
}

function schemaBreaks(pair: Pair): string[] {
  const key = [memberOf(pair.before, "$ref"), memberOf(pair.after, "$ref")].map(String).join(" ");
  if (key !== "undefined undefined" && pair.within.includes(key)) return [];
  const within = [...pair.within, key];
  const before = variantsOf(pair.roots.before, pair.before);
  const after = variantsOf(pair.roots.after, pair.after);
  const isRequest = pair.direction === "request";
  const [kept, among] = isRequest ? [before, after] : [after, before];
  return kept.flatMap((variant, index) => {
    const attempts = among.map((other) =>
      singleBreaks({ ...pair, within }, isRequest ? variant : other, isRequest ? other : variant),
    );
    if (attempts.length === 0 || attempts.some((attempt) => attempt.length === 0)) return [];
    // The one of the same kind says what changed; where there is none, the kind itself is what changed.
    return attempts.toSorted((a, b) => a.length - b.length)[0] ?? attempts[index] ?? [];
  });
}

/** A schema as a list of those that have one type each; an empty list allows anything. */
function variantsOf(root: unknown, schema: unknown): Tree[] {
  const tree = treeOf(follow(root, schema));
  const branches = [...listOf(tree["anyOf"]), ...listOf(tree["oneOf"])];
  if (branches.length > 0) return branches.flatMap((branch) => variantsOf(root, branch));
  const { type } = tree;
  if (!Array.isArray(type)) return Object.keys(tree).length === 0 ? [] : [tree];
  return type.map((one: unknown) =>
    one === "null"
      ? { type: "null" }
      : {
          ...tree,
          type: one,
          ...(tree["enum"] === undefined
            ? {}
            : { enum: listOf(tree["enum"]).filter((value) => value !== null) }),
        },
  );
}

function singleBreaks(pair: Pair, before: Tree, after: Tree): string[] {
  const { direction, place } = pair;
  const [from, to] = direction === "request" ? [before, after] : [after, before];
  const isWider =
    to["type"] === undefined ||
    from["type"] === to["type"] ||
    (from["type"] === "integer" && to["type"] === "number");
  if (!isWider) return [`${place} is ${String(after["type"])} instead of ${String(before["type"])}`];
  return [
    ...valueBreaks(direction, place, before, after),
    ...(direction === "request" ? boundBreaks(place, before, after) : []),
    ...memberBreaks(pair, before, after),
    ...["items", "additionalProperties"].flatMap((name) => {
      const [was, is] = [before[name], after[name]];
      if (typeof was !== "object" || typeof is !== "object") return [];
      return schemaBreaks({ ...pair, before: was, after: is, place: `${place}[]` });
    }),
  ];
}

function valueBreaks(direction: Direction, place: string, before: Tree, after: Tree): string[] {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  if (is === null)
    return direction === "response" && was !== null ? [`${place} is no longer one of a list`] : [];
  if (was === null) return direction === "request" ? [`${place} is now one of ${is.join(", ")}`] : [];
  return was.filter((value) => !is.includes(value)).map((value) => `${place} is no longer ${value}`);
}

function valuesOf(schema: Tree): string[] | null {
  if ("const" in schema) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : null;
}

const LOWER = ["minLength", "minItems", "minimum", "exclusiveMinimum"];
const UPPER = ["maxLength", "maxItems", "maximum", "exclusiveMaximum"];
const EXACT = ["pattern", "format"];

/** What a request could contain and cannot any more. */
function boundBreaks(place: string, before: Tree, after: Tree): string[] {
  const changed = (name: string, isNarrower: (was: unknown, is: unknown) => boolean) =>
    name in after && isNarrower(before[name], after[name])
      ? [`${place} has ${name} ${String(after[name])} instead of ${JSON.stringify(before[name] ?? null)}`]
      : [];
  return [
    ...LOWER.flatMap((name) =>
      changed(
        name,
        (was, is) =>
          Number(is) > Number(was ?? -Infinity) &&
          !(was === undefined && Number(is) === 0 && name !== "minimum"),
      ),
    ),
    ...UPPER.flatMap((name) => changed(name, (was, is) => Number(is) < Number(was ?? Infinity))),
    ...EXACT.flatMap((name) => changed(name, (was, is) => was !== is)),
  ];
}

function memberBreaks(pair: Pair, before: Tree, after: Tree): string[] {
  const { direction, place } = pair;
  const [old, now] = [before, after].map(({ properties }) => treeOf(properties));
  const [mustOld, mustNow] = [before, after].map(({ required }) => listOf(required).map(String));
  const isClosed = after["additionalProperties"] === false;
  const removed = Object.keys(old ?? {}).filter((name) => !(name in (now ?? {})));
  const isRequest = direction === "request";
  return [
    ...removed.filter(() => !isRequest || isClosed).map((name) => `${place}.${name} was removed`),
    ...(isRequest
      ? (mustNow ?? [])
          .filter((name) => !mustOld?.includes(name))
          .map((name) => `${place}.${name} is now required`)
      : (mustOld ?? [])
          .filter((name) => !mustNow?.includes(name) && !removed.includes(name))
          .map((name) => `${place}.${name} is no longer always present`)),
    ...Object.entries(old ?? {})
      .filter(([name]) => !removed.includes(name))
      .flatMap(([name, member]) =>
        schemaBreaks({ ...pair, before: member, after: now?.[name], place: `${place}.${name}` }),
      ),
  ];
}
