import type { Endpoint } from "../../http/namespace.ts";
import { toJsonSchema } from "../../openapi/schemas.ts";
import type { Graph } from "./diagram.ts";

type Edge = Graph["edges"][number];

/** Which resources of an engine hold ids of which others, read from the schemas of their routes. */
export function resourceEdges(routes: readonly Endpoint[]): readonly Edge[] {
  const names = new Set(routes.map(resourceOf));
  const edges = new Map<string, Edge>();
  for (const endpoint of routes) {
    const from = resourceOf(endpoint);
    for (const member of membersIn(toJsonSchema(endpoint.route.data, "output"))) {
      const to = namedBy(member, names);
      if (to !== null && to !== from) edges.set(`${from} ${to}`, { from, to, label: "" });
    }
  }
  return [...edges.values()];
}

/** The resource of a route: ids are `<engine>.<resource>.<verb>`. */
const resourceOf = ({ route }: Endpoint): string => route.id.split(".")[1] ?? "";

/** Names of members at any depth of a schema. */
function membersIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(Object(value)) : []),
    ...membersIn(value),
  ]);
}

/** `slot_window_id` and `zone_ids` name slot-windows and zones. */
function namedBy(member: string, names: ReadonlySet<string>): string | null {
  const [, stem] = /^(\w+)_ids?$/.exec(member) ?? [];
  if (stem === undefined) return null;
  const name = stem.replaceAll("_", "-");
  const plurals = [`${name}s`, `${name}es`, name.replace(/y$/, "ies")];
  return plurals.find((plural) => names.has(plural)) ?? null;
}
