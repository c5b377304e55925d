import { fail } from "../../../lib/errors.ts";
import { runAtOnce } from "../../../lib/slices.ts";
import { graphFaultSteps } from "../rules/group-graph.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Draft, DraftGroup, DraftItem, DraftLevel, DraftUse } from "./draft.ts";
import { pointer } from "./losses.ts";
import type { Path } from "./losses.ts";
import type { RefKind } from "./names.ts";

/**
 * Maximum of objects per request. Each is looked up under two ids, and a commit verifies everything it has read: the
 * store allows 1000 such checks.
 */
export const IMPORT_ROWS_MAX = 480;
const ERRORS_MAX = 100;

/** A ref that the document does not define: it must have been imported before. */
export interface MissingRef {
  readonly kind: RefKind;
  readonly ref: string;
  readonly path: Path;
}

interface Fault {
  readonly path: Path;
  readonly detail: string;
}

/**
 * Throws 422, with every place, for duplicate ids, groups or categories that contain themselves or are nested too
 * deep, inconsistent
 * limits, and documents above the limit. Returns the refs that are defined elsewhere.
 */
export function checkDraft(draft: Draft): MissingRef[] {
  const lists = [draft.menus, draft.categories, draft.items, draft.groups, draft.modifiers];
  const missing = missingRefs(draft);
  const all = lists.reduce((sum, { length }) => sum + length, draft.levels.length + missing.length);
  if (all > IMPORT_ROWS_MAX) {
    const detail =
      `The document contains ${all} objects; a request accepts at most ${IMPORT_ROWS_MAX}. Split it into several ` +
      "requests.";
    throw refuse([{ path: [], detail }]);
  }
  const defaults = new Set(draft.modifiers.filter((own) => own.default === true).map(({ ref }) => ref));
  const faults: Fault[] = [
    ...lists.flatMap(findTwice),
    ...draft.groups.flatMap((group) => groupFaults(group, defaults)),
    ...graphFaults(draft),
    ...categoryFaults(draft),
    ...draft.items.flatMap(({ groups }) => usedTwice(groups)),
    ...[...draft.menus, ...draft.categories, ...draft.items, ...draft.levels].flatMap(hoursFaults),
  ];
  if (faults.length > 0) throw refuse(faults);
  return missing;
}

/** 422 for places in the document. */
export function refuse(faults: readonly Fault[]) {
  const count = faults.length === 1 ? "1 field is" : `${faults.length} fields are`;
  const cut = faults.length > ERRORS_MAX ? ` The first ${ERRORS_MAX} are listed.` : "";
  const errors = faults
    .slice(0, ERRORS_MAX)
    .map(({ path, detail }) => ({ pointer: `#${pointer(["data", ...path])}`, detail }));
  return fail("unprocessable_content", `${count} invalid.${cut}`, { errors });
}

function findTwice(entries: readonly { readonly ref: string; readonly path: Path }[]): Fault[] {
  const seen = new Set<string>();
  return entries.flatMap(({ ref, path }) => {
    if (!seen.has(ref)) {
      seen.add(ref);
      return [];
    }
    return [{ path, detail: `Duplicate id ${ref} among objects of this kind.` }];
  });
}

function usedTwice(uses: readonly DraftUse[]): Fault[] {
  const seen = new Set<string>();
  return uses.flatMap(({ group, path }) => {
    if (seen.has(group)) return [{ path, detail: "Listed twice." }];
    seen.add(group);
    return [];
  });
}

function hoursFaults({
  hours,
  path,
}: Pick<DraftLevel, "hours" | "path"> | Pick<DraftItem, "hours" | "path">): Fault[] {
  const count = hours?.rules.length ?? 0;
  const max = MENU_LIMITS.rulesPerSchedule;
  return count <= max
    ? []
    : [{ path, detail: `The hours have ${count} different ranges; at most ${max} are possible.` }];
}

/** `defaults`: refs of the modifiers that are selected by default. */
function groupFaults(group: DraftGroup, defaults: ReadonlySet<string>): Fault[] {
  const { path, min, max, minDistinct: least, maxDistinct: most, modifiers: refs } = group;
  const faults: Fault[] = [];
  if (max !== null && min > max) faults.push({ path, detail: "The minimum is greater than the maximum." });
  if (least != null && most != null && least > most) {
    faults.push({ path, detail: "The minimum of different options is greater than the maximum." });
  }
  if (least != null && least > refs.length) {
    faults.push({
      path,
      detail: `At least ${least} different options are required, but the group has ${refs.length}.`,
    });
  }
  const distinct = new Set(refs);
  if (distinct.size !== refs.length) faults.push({ path, detail: "An option is listed twice." });
  const chosen = [...distinct].filter((ref) => defaults.has(ref));
  if (chosen.length > Math.min(max ?? Infinity, most ?? Infinity)) {
    faults.push({
      path,
      detail: `${chosen.length} options are selected by default, more than can be selected.`,
    });
  }
  return faults;
}

function graphFaults({ groups, modifiers }: Draft): Fault[] {
  const graph = {
    groups: groups.map(({ ref, modifiers: refs }) => ({ id: ref, modifier_ids: [...new Set(refs)] })),
    modifiers: modifiers.map(({ ref, groups: refs }) => ({
      id: ref,
      nested_group_ids: [...new Set(refs)],
    })),
  };
  const fault = runAtOnce(graphFaultSteps(graph, MENU_LIMITS.depth));
  if (fault === null) return [];
  const path = groups.find(({ ref }) => ref === fault.groupId)?.path ?? [];
  const detail =
    fault.fault === "circle"
      ? "The group contains itself."
      : `Groups can be nested at most ${MENU_LIMITS.depth} levels deep.`;
  return [{ path, detail }];
}

function categoryFaults({ categories }: Draft): Fault[] {
  const parents = new Map(categories.map(({ ref, parent }) => [ref, parent ?? null]));
  return categories.flatMap(({ ref, path, items }) => {
    const faults: Fault[] = [];
    if (new Set(items).size !== items.length) faults.push({ path, detail: "An item is listed twice." });
    const above = new Set([ref]);
    for (let at = parents.get(ref) ?? null; at !== null; at = parents.get(at) ?? null) {
      if (above.has(at)) return [...faults, { path, detail: "The category contains itself." }];
      above.add(at);
      if (above.size > MENU_LIMITS.depth) {
        return [
          ...faults,
          { path, detail: `Categories can be nested at most ${MENU_LIMITS.depth} levels deep.` },
        ];
      }
    }
    return faults;
  });
}

function missingRefs(draft: Draft): MissingRef[] {
  const defined = {
    category: new Set(draft.categories.map(({ ref }) => ref)),
    item: new Set(draft.items.map(({ ref }) => ref)),
    group: new Set(draft.groups.map(({ ref }) => ref)),
    modifier: new Set(draft.modifiers.map(({ ref }) => ref)),
    menu: new Set(draft.menus.map(({ ref }) => ref)),
  };
  const named: (MissingRef & { readonly kind: keyof typeof defined })[] = [
    ...draft.menus.flatMap(({ categories, path }) =>
      categories.map((ref) => ({ kind: "category" as const, ref, path })),
    ),
    ...draft.categories.flatMap(({ items, parent, path }) => [
      ...items.map((ref) => ({ kind: "item" as const, ref, path })),
      ...(parent == null ? [] : [{ kind: "category" as const, ref: parent, path }]),
    ]),
    ...draft.items.flatMap(({ groups }) =>
      groups.flatMap(({ group, path, hidden = [] }) => [
        { kind: "group" as const, ref: group, path },
        ...hidden.map((ref) => ({ kind: "modifier" as const, ref, path })),
      ]),
    ),
    ...draft.groups.flatMap(({ modifiers, path }) =>
      modifiers.map((ref) => ({ kind: "modifier" as const, ref, path })),
    ),
    ...draft.modifiers.flatMap(({ groups, item, path }) => [
      ...groups.map((ref) => ({ kind: "group" as const, ref, path })),
      ...(item === undefined ? [] : [{ kind: "item" as const, ref: item, path }]),
    ]),
    ...(draft.additions ?? []).map(({ category, path }) => ({
      kind: "category" as const,
      ref: category,
      path,
    })),
    ...draft.levels.flatMap(({ prices, menu, path }) => [
      ...prices.map(({ kind, ref }) => ({ kind, ref, path })),
      ...(menu === undefined ? [] : [{ kind: "menu" as const, ref: menu, path }]),
    ]),
  ];
  const missing = new Map<string, MissingRef>();
  for (const each of named) {
    const key = `${each.kind} ${each.ref}`;
    if (!defined[each.kind].has(each.ref) && !missing.has(key)) missing.set(key, each);
  }
  return [...missing.values()];
}
