import { dayNumber } from "../../../lib/local-time.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { TreeGroup, TreeItem, TreeSchedule } from "../schema/tree.ts";
import type { LintCode, LintFinding } from "../schema/versions.ts";
import { graphFaultSteps } from "./group-graph.ts";
import { groupsOfItem, groupsOfModifier, reachOf } from "./group-use.ts";
import type { UsedGroup } from "./group-use.ts";
import type { IndexedTree } from "./index-tree.ts";
import { isComplete } from "../../../core/known-allergens.ts";
import type { DeclaredOf } from "./line-allergens.ts";
import { localRangesOf } from "./open-times.ts";

/** Days searched for an opening of a schedule: a whole leap year plus what a rule may skip. */
const OPENING_DAYS = 400;

/**
 * Problems of a menu, errors first. Errors affect customers: unknown ids, no price,
 * a group that cannot be satisfied, a schedule that never opens. Warnings are missing texts and declarations. In steps of one object.
 */
export function* lintTreeSteps(
  tree: IndexedTree,
  { today, declaredOf }: { readonly today: string; readonly declaredOf: DeclaredOf },
): Generator<undefined, LintFinding[]> {
  const findings = yield* lintReferences(tree);
  const add = (more: readonly LintFinding[]): void => {
    for (const each of more) findings.push(each);
  };
  add(yield* lintShape(tree));
  yield;
  for (const item of tree.items) {
    add(lintItem(tree, item, declaredOf));
    yield;
  }
  for (const group of tree.modifier_groups) {
    add(lintDefaults(tree, group));
    yield;
  }
  for (const modifier of tree.modifiers) {
    for (const used of groupsOfModifier(tree, modifier)) add(lintUse(used, "modifier", modifier.id));
    yield;
  }
  for (const schedule of tree.schedules) {
    add(lintSchedule(schedule, today));
    yield;
  }
  const isError = ({ severity }: LintFinding): boolean => severity === "error";
  return [...findings.filter(isError), ...findings.filter((finding) => !isError(finding))];
}

type Kind = LintFinding["kind"];
const WARNINGS: ReadonlySet<LintCode> = new Set([
  "empty_category",
  "schedule_over",
  "missing_alt_text",
  "missing_allergen_declaration",
]);
const finding = (code: LintCode, kind: Kind, id: string, detail: string): LintFinding => ({
  severity: WARNINGS.has(code) ? "warning" : "error",
  code,
  kind,
  id,
  detail,
});

function* lintReferences(tree: IndexedTree): Generator<undefined, LintFinding[]> {
  const knownIds = {
    schedule: new Set(tree.scheduleById.keys()),
    category: new Set(tree.categoryById.keys()),
    item: new Set(tree.itemById.keys()),
    group: new Set(tree.groupById.keys()),
    modifier: new Set(tree.modifierById.keys()),
    level: new Set(tree.price_levels.map(({ id }) => id)),
  };
  const findings: LintFinding[] = [];
  const check = (
    owner: Kind,
    id: string,
    to: keyof typeof knownIds,
    ids: readonly (string | null)[],
  ): void => {
    for (const each of ids) {
      if (each !== null && !knownIds[to].has(each)) {
        findings.push(finding("dangling_id", owner, id, `No ${to} with the id ${each}.`));
      }
    }
  };
  const { menu } = tree;
  check("menu", menu.id, "category", menu.category_ids);
  check("menu", menu.id, "schedule", menu.schedule_ids);
  check("menu", menu.id, "level", [menu.price_level_id]);
  for (const category of tree.categories) {
    check("category", category.id, "category", [category.parent_id]);
    check("category", category.id, "item", category.item_ids);
    check("category", category.id, "schedule", category.schedule_ids);
    yield;
  }
  for (const item of tree.items) {
    check("item", item.id, "schedule", item.schedule_ids);
    check(
      "item",
      item.id,
      "group",
      item.modifier_groups.map(({ group_id: id }) => id),
    );
    yield;
  }
  for (const group of tree.modifier_groups) {
    check("modifier_group", group.id, "modifier", group.modifier_ids);
    yield;
  }
  for (const modifier of tree.modifiers) check("modifier", modifier.id, "group", modifier.nested_group_ids);
  for (const level of tree.price_levels) check("price_level", level.id, "schedule", [level.schedule_id]);
  return findings;
}

function* lintShape(tree: IndexedTree): Generator<undefined, LintFinding[]> {
  const findings: LintFinding[] = [];
  if (tree.items.length === 0)
    findings.push(finding("empty_menu", "menu", tree.menu.id, "The menu offers no items."));
  for (const { id, item_ids: items, image } of tree.categories) {
    if (items.length === 0 && tree.childrenOf(id).length === 0) {
      findings.push(finding("empty_category", "category", id, "The menu has neither items nor categories."));
    }
    if (image !== null && image.alt === null) {
      findings.push(finding("missing_alt_text", "category", id, "The image has no alt text."));
    }
  }
  const fault = yield* graphFaultSteps(
    { groups: tree.modifier_groups, modifiers: tree.modifiers },
    MENU_LIMITS.depth,
  );
  if (fault?.fault === "circle") {
    findings.push(finding("group_circle", "modifier_group", fault.groupId, "It contains itself."));
  } else if (fault !== null) {
    const detail = `Nests groups more than ${MENU_LIMITS.depth} levels deep.`;
    findings.push(finding("group_too_deep", "modifier_group", fault.groupId, detail));
  }
  return findings;
}

function lintItem(tree: IndexedTree, item: TreeItem, declaredOf: DeclaredOf): LintFinding[] {
  const findings: LintFinding[] = [];
  if (item.price === null && item.variations.length === 0) {
    findings.push(finding("item_without_price", "item", item.id, "It has neither a price nor variations."));
  }
  for (const used of groupsOfItem(tree, item.modifier_groups))
    findings.push(...lintUse(used, "item", item.id));
  if (item.images.some(({ alt }) => alt === null)) {
    findings.push(finding("missing_alt_text", "item", item.id, "An image has no alt text."));
  }
  if (item.product_id === null || !isComplete(declaredOf(item.product_id))) {
    const detail = "The allergens are not fully declared and are shown as unknown.";
    findings.push(finding("missing_allergen_declaration", "item", item.id, detail));
  }
  return findings;
}

function lintDefaults(tree: IndexedTree, group: TreeGroup): LintFinding[] {
  const defaults = group.modifier_ids.filter((id) => tree.modifierById.get(id)?.default === true).length;
  const most = Math.min(group.max ?? Infinity, group.max_distinct ?? Infinity);
  if (defaults <= most) return [];
  const detail = `${defaults} modifiers are selected by default; at most ${most} can be.`;
  return [finding("defaults_exceed_limits", "modifier_group", group.id, detail)];
}

function lintUse({ group, min, max, modifiers }: UsedGroup, kind: Kind, id: string): LintFinding[] {
  if (max !== null && min > max) {
    return [
      finding(
        "group_limits",
        kind,
        id,
        `Group ${group.id}: \`min\` (${min}) is greater than \`max\` (${max}).`,
      ),
    ];
  }
  const reach = reachOf(modifiers);
  const least = group.min_distinct ?? 0;
  if (reach < min || (min > 0 && modifiers.length < least)) {
    const detail = `Group ${group.id} requires ${Math.max(min, least)}; its modifiers allow ${Math.min(reach, modifiers.length)}.`;
    return [finding("group_unreachable", kind, id, detail)];
  }
  return [];
}

function lintSchedule(schedule: TreeSchedule, today: string): LintFinding[] {
  const { id, valid_from: first, valid_until: last, exceptions } = schedule;
  const isOver = last !== null && last < today;
  const from = dayNumber(isOver ? (first ?? last) : first !== null && first > today ? first : today);
  const until = last === null ? from + OPENING_DAYS : Math.min(dayNumber(last), from + OPENING_DAYS);
  const days = Array.from({ length: Math.max(0, until - from + 1) }, (_, at) => from + at);
  const isOpen = (day: number): boolean => localRangesOf(schedule, day).length > 0;
  if (!isOver && days.some(isOpen)) return [];
  // Single dates can be further away, or over.
  const dates = exceptions.map(({ date }) => date).filter((date) => isOpen(dayNumber(date)));
  if (!isOver && dates.some((date) => date >= today)) return [];
  const ended = (isOver && days.some(isOpen) ? last : dates.sort().at(-1)) ?? null;
  return [
    ended === null
      ? finding("schedule_never_opens", "schedule", id, "It is never open.")
      : finding("schedule_over", "schedule", id, `It ended on ${ended}.`),
  ];
}
