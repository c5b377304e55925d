import type { Losses } from "./losses.ts";

/**
 * Reports every non-empty field of a resource that a format does not support. `carried` is the
 * complete list of supported fields, so a new field is reported as lost until it is mapped.
 */
export function noteDropped<T extends { readonly id: string }>(
  kind: Kind,
  resource: T,
  carried: readonly (keyof T & string)[],
  losses: Losses,
): void {
  for (const [name, value] of Object.entries(resource)) {
    if (SILENT.has(name) || carried.some((field) => field === name)) continue;
    if (isPlain(kind, name, value)) continue;
    const path = kind === "menu" ? [kind, name] : [kind, resource.id, name];
    losses.add(path, "The format does not support this field.");
  }
}

export type Kind = "menu" | "categories" | "items" | "modifier_groups" | "modifiers" | "price_levels";

/** Ids, and references whose targets are exported themselves. */
const SILENT = new Set(["id", "external_refs", "menu_ids", "sort_order"]);

/** Values equivalent to a missing field, other than null and empty ones. */
const PLAIN: Readonly<Record<string, unknown>> = {
  "menu audience": "all",
  "categories visible": true,
  "items tax_inclusive": true,
  "modifier_groups min": 0,
  "modifier_groups free_quantity": 0,
  "modifier_groups defaults_charged": true,
  "modifier_groups substitution": false,
  "modifiers price": 0,
  "modifiers default": false,
  "modifiers max_quantity": 1,
  "price_levels priority": 0,
};

function isPlain(kind: Kind, name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "object" && Object.keys(value).length === 0) return true;
  // The selection of free units only matters if there are some; the display of a group never changes an order.
  if (name === "free_policy" || name === "display_mode") return value !== "forced";
  return value === PLAIN[`${kind} ${name}`];
}
