import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { DELIVERECT_CARRIES } from "../../../../server/engines/menus/formats/deliverect/to.ts";
import {
  FORMATS,
  readDocument,
  SHAPES,
  writeDocument,
} from "../../../../server/engines/menus/formats/formats.ts";
import type { Document, Format } from "../../../../server/engines/menus/formats/formats.ts";
import type { Loss } from "../../../../server/engines/menus/formats/losses.ts";
import { OTTER_CARRIES } from "../../../../server/engines/menus/formats/otter/to.ts";
import { SQUARE_CARRIES } from "../../../../server/engines/menus/formats/square/to.ts";
import { TOAST_CARRIES } from "../../../../server/engines/menus/formats/toast/export.ts";
import { say } from "../../../../server/engines/menus/formats/tree-view.ts";
import { UBER_CARRIES } from "../../../../server/engines/menus/formats/uber/export.ts";
import { canonicalRules } from "../../../../server/engines/menus/formats/week.ts";
import { canonicalText } from "../../../../server/engines/menus/rules/canonical.ts";
import { GroupUse } from "../../../../server/engines/menus/schema/item.ts";
import { MenuTree } from "../../../../server/engines/menus/schema/tree.ts";
import { treeOfDraft } from "./draft-tree.ts";
import { menuTrees } from "./random-tree.ts";

/*
 * A random menu goes out in a format, as JSON text, and comes back into an empty store. Every member is then either as
 * it was or told as lost at its place; a member that nobody tells of and that differs fails the test.
 */
const CARRIES: Readonly<Record<Format, Readonly<Record<string, readonly string[]>>>> = {
  square: SQUARE_CARRIES,
  toast: TOAST_CARRIES,
  deliverect: DELIVERECT_CARRIES,
  uber: UBER_CARRIES,
  otter: OTTER_CARRIES,
};
const ONE_LANGUAGE: readonly Format[] = ["square", "toast", "otter"];
const LISTS = ["categories", "items", "modifier_groups", "modifiers", "price_levels"] as const;

describe.each(FORMATS)("%s", (format) => {
  it("gives back what it does not tell as lost", async () => {
    await fc.assert(
      fc.asyncProperty(menuTrees(), async (tree) => {
        const { back, losses } = await roundTrip(format, tree);
        expect(differences(format, { tree, back, losses })).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("makes menus that their own schema takes", async () => {
    await fc.assert(
      fc.asyncProperty(menuTrees(), async (tree) => {
        const { back } = await roundTrip(format, tree);
        expect(MenuTree.safeParse(back).error).toBeUndefined();
      }),
      { numRuns: 25 },
    );
  });

  it("writes the same document a second time after it was read", async () => {
    await fc.assert(
      fc.asyncProperty(menuTrees(), async (tree) => {
        const { back } = await roundTrip(format, tree);
        const once = (await writeDocument(format, back, OPTIONS)).data;
        const again = (await writeDocument(format, (await roundTrip(format, back)).back, OPTIONS)).data;
        expect(again).toEqual(once);
      }),
      { numRuns: 25 },
    );
  });
});

const OPTIONS = { locale: "en", facts: new Map(), unavailable: {}, key: "sto_a" };

async function roundTrip(format: Format, tree: MenuTree): Promise<{ back: MenuTree; losses: Loss[] }> {
  const { data, losses } = await writeDocument(format, tree, OPTIONS);
  const parsed = z
    .object({ format: z.literal(format), data: SHAPES[format] })
    .parse({ format, data: JSON.parse(JSON.stringify(data)) });
  const { draft } = readDocument(parsed as Document, { locale: "en", currency: tree.menu.currency });
  return { back: treeOfDraft(draft, format), losses };
}

interface Trip {
  readonly tree: MenuTree;
  readonly back: MenuTree;
  readonly losses: readonly Loss[];
}

function differences(format: Format, { tree, back, losses }: Trip): string[] {
  const told = (path: string): boolean =>
    losses.some(
      (loss) => loss.path === path || loss.path.startsWith(`${path}/`) || path.startsWith(`${loss.path}/`),
    );
  const compare = (kind: string, before: object, after: object | undefined): string[] => {
    const id = "id" in before ? String(before.id) : "";
    const base = kind === "menu" ? "/menu" : `/${kind}/${id}`;
    if (after === undefined) return told(base) ? [] : [`${base} is gone`];
    return (CARRIES[format][kind] ?? []).flatMap((member) => {
      const [was, is] = [before, after].map((resource, at) =>
        normal(format, at === 0 ? tree : back, member, Reflect.get(resource, member)),
      );
      const isTold = told(`${base}/${member}`);
      return isEqual(was, is) || isTold
        ? []
        : [`${base}/${member}: ${JSON.stringify(was)} became ${JSON.stringify(is)}`];
    });
  };
  return [
    ...compare("menu", tree.menu, back.menu),
    ...LISTS.flatMap((kind) =>
      tree[kind].flatMap((before) => compare(kind, before, counterpart(kind, before, back))),
    ),
    ...silentDrops(format, tree, told),
  ];
}

/** A price level that comes back is known by what it says: its id is worked out from that. */
function counterpart(
  kind: (typeof LISTS)[number],
  before: { id: string },
  back: MenuTree,
): object | undefined {
  const same = back[kind].find(({ id }) => id === before.id);
  if (same !== undefined || kind !== "price_levels") return same;
  return back.price_levels.find(({ overrides }) => isEqual(overrides, Reflect.get(before, "overrides")));
}

/** Members that say something, that the format does not carry and that nobody tells of. */
function silentDrops(format: Format, tree: MenuTree, told: (path: string) => boolean): string[] {
  return tree.items.flatMap((item) =>
    (["portion_text", "age_restricted", "lead_time_minutes", "serves", "tags", "prep_time_minutes"] as const)
      .filter((member) => CARRIES[format]["items"]?.includes(member) !== true)
      .filter((member) => item[member] !== null && JSON.stringify(item[member]) !== "[]")
      .filter((member) => !told(`/items/${item.id}/${member}`))
      .map((member) => `/items/${item.id}/${member} is dropped silently`),
  );
}

function normal(format: Format, tree: MenuTree, member: string, value: unknown): unknown {
  if (member === "schedule_ids" || member === "schedule_id") return hoursIn(tree, value);
  if (member === "modifier_groups") return limitsIn(tree, value);
  return JSON.parse(JSON.stringify(value ?? null), (_, part: unknown) => {
    if (!isText(part)) return part;
    return ONE_LANGUAGE.includes(format) ? { en: say(part, "en") } : part;
  });
}

/** The week that schedules make; single dates and first days are compared by what is told. */
function hoursIn(tree: MenuTree, ids: unknown): unknown {
  const wanted: unknown[] = Array.isArray(ids) ? ids : [ids];
  const found = tree.schedules.filter(({ id }) => wanted.includes(id));
  const week = found.length === 0 ? null : canonicalRules(found.flatMap(({ rules }) => rules));
  // Open the whole week and no hours at all are one thing; some systems can only write the first.
  return canonicalText(week) === canonicalText(WHOLE_WEEK) ? null : week;
}

const WHOLE_WEEK = canonicalRules([
  { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], start: "00:00", end: "00:00" },
]);

/** Uses of groups with the limits that come to hold: a limit that repeats the group's own says nothing. */
const limitsIn = (tree: MenuTree, uses: unknown): unknown =>
  z
    .array(GroupUse)
    .parse(uses)
    .map((use) => {
      const group = tree.modifier_groups.find(({ id }) => id === use.group_id);
      return { min: group?.min, max: group?.max, ...use };
    });

const isEqual = (a: unknown, b: unknown): boolean => canonicalText(a) === canonicalText(b);

const isText = (value: unknown): value is Record<string, string> =>
  typeof value === "object" && value !== null && "en" in value;
