import type { Json } from "./schemas.ts";
import { mapMembers } from "./share.ts";
import type { Part } from "./share.ts";

/** What types are generated from: the document without examples, headers of responses and errors, and with short texts. */
export function briefOpenApi(document: Json): Json {
  const { paths, webhooks, components, openapi, info } = document;
  const { schemas, responses, parameters } = Object(components);
  return {
    openapi,
    info: { ...Object(info), description: "" },
    paths: brief("paths", paths),
    webhooks: brief("paths", webhooks),
    components: {
      schemas: brief("schemas", schemas),
      responses: brief("responses", responses),
      parameters: brief("parameters", parameters),
    },
  };
}

function brief(kind: Part, value: unknown): unknown {
  const inner = mapMembers(kind, value, brief);
  const kept = KEPT[kind];
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
  // A response without a description is invalid.
  if (kind === "response" && !("$ref" in inner)) return { description: "", ...pick(inner, ["content"]) };
  if (kept !== undefined) return pick(inner, kept);
  return kind === "schema" ? briefSchema(inner) : inner;
}

const KEPT: Readonly<Partial<Record<Part, readonly string[]>>> = {
  operation: ["operationId", "summary", "parameters", "requestBody", "responses"],
  parameter: ["$ref", "name", "in", "required", "schema"],
  body: ["$ref", "required", "content"],
  media: ["schema"],
};

const pick = (value: object, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

const briefSchema = (schema: object): Json =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([name, member]): [string, unknown][] => {
      if (name === "example" || name === "examples" || name === "title" || name.startsWith("x-")) return [];
      const isText = name === "description" && typeof member === "string";
      return [[name, isText ? member.split(/\n|(?<=[.!?]) (?=\p{Lu})/u, 1)[0] : member]];
    }),
  );
