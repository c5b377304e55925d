import type { Json } from "./schemas.ts";
import { isReference, mapMembers } from "./share.ts";
import type { Part, Shareable } from "./share.ts";

const PREFIX = "#/components/schemas/";

/** The same document with each schema that a single place refers to in that place: the operation's id says what it is. */
export function placeSingles(document: Shareable): Shareable {
  const { schemas } = document;
  const counts = new Map<unknown, number>();
  for (const [, target] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g))
    counts.set(target, (counts.get(target) ?? 0) + 1);
  const isSingle = (name: string): boolean => counts.get(`${PREFIX}${name}`) === 1;
  const place = (kind: Part, value: unknown): unknown => {
    if (kind !== "schema" || !isReference(value)) return mapMembers(kind, value, place);
    const { $ref, ...notes } = value;
    const name = $ref.slice(PREFIX.length);
    return isSingle(name) ? { ...Object(place(kind, schemas[name])), ...notes } : value;
  };
  const placeAll = (kind: Part, parts: Json): Json =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, place(kind, part)]));
  return {
    paths: placeAll("item", document.paths),
    webhooks: placeAll("item", document.webhooks),
    schemas: placeAll(
      "schema",
      Object.fromEntries(Object.entries(schemas).filter(([name]) => !isSingle(name))),
    ),
    responses: placeAll("response", document.responses),
    parameters: placeAll("parameter", document.parameters),
  };
}
