import type { Json } from "./schemas.ts";
import { mapMembers } from "./share.ts";
import type { Part, Shareable } from "./share.ts";

/** Fewer characters are not worth a reader's way to another schema. */
const SAVED_CHARS_MIN = 20;

interface Fields {
  /** Members by name, each as a text with whether it is required. */
  readonly texts: ReadonlyMap<string, string>;
  readonly properties: Json;
  readonly required: readonly unknown[];
  /** Of this schema alone: they are not inherited. */
  readonly description: Json;
  readonly example: Json;
}

/**
 * The same schemas and paths, in which an object with all members of a component and more is `allOf` that component and an
 * object with the others. Objects that refuse unknown members have theirs in one place, where the refusal is.
 */
export function* inheritSteps(document: Shareable): Generator<undefined, Shareable> {
  const bases = new Map(
    Object.entries(document.schemas).flatMap(([name, schema]) => {
      const fields = fieldsOf(schema);
      return fields === null ? [] : [[name, fields]];
    }),
  );
  const inherit = (kind: Part, value: unknown): unknown => {
    const derived = kind === "schema" ? derive(bases, value) : null;
    return mapMembers(kind, derived ?? value, inherit);
  };
  const inheritAll = function* (kind: Part, parts: Json): Generator<undefined, Json> {
    const done: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(parts)) {
      done[name] = inherit(kind, part);
      yield;
    }
    return done;
  };
  return {
    ...document,
    schemas: yield* inheritAll("schema", document.schemas),
    responses: yield* inheritAll("response", document.responses),
    paths: yield* inheritAll("item", document.paths),
  };
}

/** The schema as `allOf` of the component with which it is shortest; null where there is none. */
function derive(bases: ReadonlyMap<string, Fields>, schema: unknown): Json | null {
  const fields = fieldsOf(schema);
  if (fields === null) return null;
  const found = Array.from(bases)
    .filter(([, base]) => isPart(base, fields))
    .map(([name, base]) => extend(name, base, fields))
    .toSorted((one, other) => lengthOf(one) - lengthOf(other))[0];
  return found !== undefined && lengthOf(schema) - lengthOf(found) >= SAVED_CHARS_MIN ? found : null;
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

const isPart = ({ texts }: Fields, other: Fields): boolean =>
  texts.size < other.texts.size && Array.from(texts).every(([name, text]) => other.texts.get(name) === text);

function extend(name: string, base: Fields, { properties, required, description, example }: Fields): Json {
  const isOwn = (member: unknown): boolean => !base.texts.has(String(member));
  const own = {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).filter(([member]) => isOwn(member))),
    required: required.filter(isOwn),
    // Prism and RapiDoc show the examples that the parts have, not that of the whole.
    ...example,
  };
  return { allOf: [{ $ref: `#/components/schemas/${name}` }, own], ...description };
}

/** What an object consists of that is open for members of another; null for any other schema. */
function fieldsOf(schema: unknown): Fields | null {
  const { type, properties, required = [], description, example, ...rest } = Object(schema);
  if (type !== "object" || typeof properties !== "object" || Object.keys(rest).length > 0) return null;
  const texts = new Map(
    Object.entries(properties).map(([name, member]) => [
      name,
      `${JSON.stringify(member)} ${required.includes(name)}`,
    ]),
  );
  return {
    texts,
    properties,
    required,
    description: description === undefined ? {} : { description },
    example: example === undefined ? {} : { example },
  };
}
