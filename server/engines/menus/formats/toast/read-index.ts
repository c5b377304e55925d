import { invalid, readEntries } from "../invalid.ts";
import type { Path } from "../losses.ts";
import type { ToastMenus, ToastModifierGroup, ToastOption, ToastPreModifierGroup } from "./shape.ts";

/** Groups and options of a Toast response by referenceId. */
export interface ToastIndex {
  readonly groups: readonly {
    readonly reference: number;
    readonly group: ToastModifierGroup;
    readonly path: Path;
  }[];
  readonly group: (reference: number, path: Path) => ToastModifierGroup;
  readonly byGuid: (guid: string) => ToastIndex["groups"][number] | undefined;
  readonly option: (reference: number, path: Path) => { readonly option: ToastOption; readonly path: Path };
  readonly preModifiers: (
    reference: number,
    path: Path,
  ) => { readonly group: ToastPreModifierGroup; readonly path: Path };
  /** Ref of an option in a draft: its guid, combined with its reference if several options share the guid. */
  readonly optionRef: (option: ToastOption) => string;
}

/** 422 for a key that differs from the referenceId of its value, and for a duplicate guid of groups. */
export function readToastIndex(body: ToastMenus): ToastIndex {
  const groups = new Map<number, { group: ToastModifierGroup; path: Path }>();
  const guids = new Set<string>();
  readEntries(Object.entries(body.modifierGroupReferences ?? {}), ([key, group]) => {
    const path = ["modifierGroupReferences", key];
    checkKey(key, group.referenceId, path);
    if (guids.has(group.guid))
      throw invalid([...path, "guid"], "Duplicate guid: another modifier group has it.");
    guids.add(group.guid);
    groups.set(group.referenceId, { group, path });
  });
  const options = new Map<number, { option: ToastOption; path: Path }>();
  const uses = new Map<string, number>();
  readEntries(Object.entries(body.modifierOptionReferences ?? {}), ([key, option]) => {
    const path = ["modifierOptionReferences", key];
    checkKey(key, option.referenceId, path);
    options.set(option.referenceId, { option, path });
    uses.set(option.guid, (uses.get(option.guid) ?? 0) + 1);
  });
  const pre = new Map(
    Object.entries(body.preModifierGroupReferences ?? {}).map(([key, group]) => [
      Number(key),
      { group, path: ["preModifierGroupReferences", key] },
    ]),
  );
  const all = [...groups].map(([reference, group]) => ({ reference, ...group }));
  const byGuid = new Map(all.map((entry) => [entry.group.guid, entry]));
  return {
    groups: all,
    byGuid: (guid) => byGuid.get(guid),
    group: (reference, path) => found(groups, reference, path, "modifier group").group,
    option: (reference, path) => found(options, reference, path, "modifier option"),
    preModifiers: (reference, path) => found(pre, reference, path, "pre-modifier group"),
    optionRef: ({ guid, referenceId }) => ((uses.get(guid) ?? 0) > 1 ? `${guid}.${referenceId}` : guid),
  };
}

function checkKey(key: string, reference: number, path: Path): void {
  if (Number(key) !== reference)
    throw invalid([...path, "referenceId"], `The id differs from its key ${key}.`);
}

function found<T>(map: ReadonlyMap<number, T>, reference: number, path: Path, kind: string): T {
  const value = map.get(reference);
  if (value === undefined) throw invalid(path, `No ${kind} with the referenceId ${reference}.`);
  return value;
}
