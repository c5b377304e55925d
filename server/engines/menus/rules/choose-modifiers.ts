import type { TreeModifier } from "../schema/tree.ts";
import type { LineError, Selection } from "../schema/price.ts";
import { groupsOfModifier } from "./group-use.ts";
import type { GroupSource, UsedGroup } from "./group-use.ts";

/** One modifier as selected, or by default. */
export interface Choice {
  readonly modifier: TreeModifier;
  /** At least 1. */
  readonly quantity: number;
  readonly preModifier: UsedGroup["group"]["pre_modifiers"][number] | null;
  readonly portion: UsedGroup["group"]["portions"][number] | null;
  readonly nested: readonly GroupChoice[];
}

/** Selection in one group, in the order of the request. */
export interface GroupChoice {
  readonly used: UsedGroup;
  readonly choices: readonly Choice[];
}

export type AddError = (code: LineError["code"], id: string, detail: string) => void;

/** Maximum of choices per dish: defaults inside defaults could number in the millions. */
const CHOICES_MAX = 500;

/**
 * Resolves selections to choices and checks them against the limits of their groups. A group without a selection has
 * its
 * default modifiers, one each; a group with a selection has exactly that, so `quantity` 0 alone means none.
 * `min` and `max` count units over all modifiers, `min_distinct` and `max_distinct` count modifiers, `max_quantity`
 * the units of one. The distinct minimum only applies if something is selected or required. With `too_many_choices`
 * the
 * result is incomplete: neither price nor allergens may be derived from it.
 */
export function chooseModifiers(
  tree: GroupSource,
  groups: readonly UsedGroup[],
  selections: readonly Selection[],
  addError: AddError,
): GroupChoice[] {
  return chooseIn({ tree, made: { count: 0 } }, groups, selections, addError);
}

/** The default modifiers of groups. */
export function chooseDefaults(
  tree: GroupSource,
  groups: readonly UsedGroup[],
): {
  readonly defaults: GroupChoice[];
  /** False if there are too many, and `defaults` is incomplete. */
  readonly isWhole: boolean;
  /** False where no dish has just these, as a guest has to select more. */
  readonly isDish: boolean;
} {
  const codes = new Set<LineError["code"]>();
  const defaults = chooseModifiers(tree, groups, [], (code) => codes.add(code));
  return { defaults, isWhole: !codes.has("too_many_choices"), isDish: codes.size === 0 };
}

interface Work {
  readonly tree: GroupSource;
  /** Number of choices so far, over all levels. */
  readonly made: { count: number };
}

function chooseIn(
  work: Work,
  groups: readonly UsedGroup[],
  selections: readonly Selection[],
  addError: AddError,
): GroupChoice[] {
  const groupIds = new Set(groups.map(({ group }) => group.id));
  for (const { group_id: id } of selections) {
    if (!groupIds.has(id)) addError("group_not_found", id, "The item has no such group.");
  }
  return groups.map((used) => {
    const entries = selections.filter(({ group_id: id }) => id === used.group.id);
    const choices =
      entries.length === 0
        ? used.defaults.flatMap((modifier) => defaultOf(work, modifier, addError))
        : entries.flatMap((selection) => toChoice(work, used, selection, addError));
    checkLimits(used, choices, addError);
    return { used, choices };
  });
}

/** Counts a choice; false above the limit, which is reported once. */
function isAllowed({ made }: Work, modifier: TreeModifier, addError: AddError): boolean {
  made.count += 1;
  if (made.count === CHOICES_MAX + 1)
    addError(
      "too_many_choices",
      modifier.id,
      `An item can have at most ${CHOICES_MAX} modifiers, including defaults.`,
    );
  return made.count <= CHOICES_MAX;
}

function defaultOf(work: Work, modifier: TreeModifier, addError: AddError): Choice[] {
  if (!isAllowed(work, modifier, addError)) return [];
  const nested = chooseIn(work, groupsOfModifier(work.tree, modifier), [], addError);
  return [{ modifier, quantity: 1, preModifier: null, portion: null, nested }];
}

function toChoice(
  work: Work,
  { group, modifiers }: UsedGroup,
  selection: Selection,
  addError: AddError,
): Choice[] {
  const modifier = work.tree.modifierById.get(selection.modifier_id);
  if (modifier === undefined || !modifiers.includes(modifier)) {
    addError("modifier_not_found", selection.modifier_id, "The group does not offer this modifier.");
    return [];
  }
  if (selection.quantity === 0 || !isAllowed(work, modifier, addError)) return [];
  const preModifier = group.pre_modifiers.find(({ code }) => code === selection.pre_modifier) ?? null;
  if (preModifier === null && selection.pre_modifier !== null) {
    addError(
      "pre_modifier_not_found",
      modifier.id,
      `The group has no pre-modifier ${selection.pre_modifier}.`,
    );
  }
  const portion = group.portions.find(({ code }) => code === selection.portion) ?? null;
  if (portion === null && selection.portion !== null) {
    addError("portion_not_found", modifier.id, `The group has no portion ${selection.portion}.`);
  }
  const inner = groupsOfModifier(work.tree, modifier);
  const nested = chooseIn(work, inner, selection.selections ?? [], addError);
  return [{ modifier, quantity: selection.quantity, preModifier, portion, nested }];
}

function checkLimits({ group, min, max }: UsedGroup, choices: readonly Choice[], addError: AddError): void {
  const units = new Map<string, number>();
  for (const { modifier, quantity } of choices) {
    const sum = (units.get(modifier.id) ?? 0) + quantity;
    if (sum > modifier.max_quantity && sum - quantity <= modifier.max_quantity) {
      addError(
        "option_max",
        modifier.id,
        `At most ${modifier.max_quantity} units of this modifier can be selected.`,
      );
    }
    units.set(modifier.id, sum);
  }
  const count = [...units.values()].reduce((all, sum) => all + sum, 0);
  if (count < min) addError("min_selections", group.id, `At least ${min} must be selected; ${count} are.`);
  if (max !== null && count > max) {
    addError("max_selections", group.id, `At most ${max} can be selected; ${count} are.`);
  }
  const { min_distinct: least, max_distinct: most } = group;
  if (least !== null && units.size < least && (count > 0 || min > 0)) {
    addError(
      "min_distinct",
      group.id,
      `At least ${least} different ones must be selected; ${units.size} are.`,
    );
  }
  if (most !== null && units.size > most) {
    addError("max_distinct", group.id, `At most ${most} different ones can be selected; ${units.size} are.`);
  }
}
