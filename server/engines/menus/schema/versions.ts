import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";
import { MenuTree } from "./tree.ts";

export const LintCode = z.enum([
  "dangling_id",
  "empty_menu",
  "empty_category",
  "item_without_price",
  "group_limits",
  "group_unreachable",
  "defaults_exceed_limits",
  "group_circle",
  "group_too_deep",
  "schedule_never_opens",
  "schedule_over",
  "missing_alt_text",
  "missing_allergen_declaration",
]);
export type LintCode = z.output<typeof LintCode>;
export const LintFinding = z.object({
  severity: z.enum(["error", "warning"]).meta({ description: "Errors block publishing" }),
  code: LintCode,
  kind: z.enum(["menu", "category", "item", "modifier_group", "modifier", "schedule", "price_level"]),
  id: Id,
  detail: z.string(),
});
export type LintFinding = z.output<typeof LintFinding>;
export const LintAnswer = z.object({
  publishable: z.boolean(),
  errors: z.int(),
  warnings: z.int(),
  findings: z.array(LintFinding).max(1_000).meta({ description: "Errors first; the first 1,000" }),
});

/** A version of a menu: immutable. Its tree is stored in separate chunks. */
export const MenuVersion = z.object({
  ...resourceFields,
  menu_id: Id,
  n: z.int().min(1),
  by: z.string().nullable().meta({ description: "Key that created it; null: the service" }),
  hash: z.string().meta({ description: "SHA-256 of the canonical text of its tree" }),
  categories: z.int().min(0),
  items: z.int().min(0),
  modifiers: z.int().min(0),
  bytes: z.int().min(0).meta({ description: "Of the canonical text" }),
  chunks: z.int().min(1),
});
export type MenuVersion = z.output<typeof MenuVersion>;

/** A chunk of the deflated canonical text of a tree, in base64. */
export const VersionChunk = z.object({ id: z.string(), data: z.string() });

/** Changes of the live state of a menu: an append-only log. */
export const Publication = z.object({
  ...resourceFields,
  menu_id: Id,
  action: z.enum(["published", "scheduled", "started", "cancelled", "rolled_back", "unpublished"]),
  menu_version: z.int().min(1).nullable(),
  at: Instant.meta({ description: "Time at which it takes effect" }),
  by: z.string().nullable(),
  late_by_ms: z.int().min(0).nullable().meta({
    description: "Delay between `at` and the time a scheduled start was recorded; it took effect at `at`",
  }),
});
export type Publication = z.output<typeof Publication>;

export const MenuVersionWithTree = MenuVersion.extend({ tree: MenuTree });

export const TreeChange = z.object({
  id: z.string().meta({ description: "Kind and id of the object" }),
  kind: z.enum(["menu", "categories", "items", "modifier_groups", "modifiers", "schedules", "price_levels"]),
  object_id: Id,
  change: z.enum(["added", "removed", "changed"]),
  from: z.record(z.string(), z.unknown()).nullable(),
  to: z.record(z.string(), z.unknown()).nullable(),
});
