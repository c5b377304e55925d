import type { Ctx } from "../../../core/route.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { MissingRef } from "../formats/check-draft.ts";
import type { Draft, DraftHours } from "../formats/draft.ts";
import { hoursKey, hoursOfSchedule } from "../formats/hours-key.ts";
import { createLosses } from "../formats/losses.ts";
import type { Loss, Path } from "../formats/losses.ts";
import { createNames } from "../formats/names.ts";
import type { RefKind } from "../formats/names.ts";
import { categorySteps, groupSteps } from "../formats/plan-draft.ts";
import { slug } from "../formats/json-ld.ts";
import { toCategory, toItem, toLevel, toSchedule } from "../formats/to-resources.ts";
import { toGroup, toModifier } from "../formats/to-modifiers.ts";
import type { ImportContext } from "../formats/to-resources.ts";
import {
  categories,
  items,
  markChanged,
  menus,
  modifierGroups,
  modifiers,
  priceLevels,
  readAll,
  readSettings,
  schedules,
  stocks,
} from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { TreeSchedule } from "../schema/tree.ts";
import { refuseDeepGroups, withoutMissing } from "./transfer-links.ts";
import { stageMenu } from "./transfer-menus.ts";
import { linkProducts } from "./transfer-products.ts";
import type { LinkRow, ProductMode } from "./transfer-products.ts";
import { applyStock } from "./transfer-stock.ts";
import { ownIds } from "./transfer-refs.ts";
import { createBudget, createStager } from "./transfer-stage.ts";
import type { Outcome } from "./transfer-stage.ts";

/** The result for one object of the document. */
export interface Row {
  readonly kind: RefKind;
  readonly ref: string;
  readonly path: Path;
  readonly id: string;
  readonly outcome: Outcome;
}

export interface Applied {
  readonly rows: Row[];
  /** Items and modifiers that had no product. */
  readonly links: readonly LinkRow[];
  /** False: the rest is left to another request. */
  readonly isComplete: boolean;
  /** References that were left out, because nothing with their id exists. */
  readonly losses: Loss[];
  readonly idOf: (kind: RefKind, ref: string) => string;
}

/**
 * Writes a draft to the store: as much as fits into one commit, in dependency order.
 * The rest is deferred; the same document sent again then finds the first part
 * unchanged and continues. A dry run stages nothing. Throws 422 for what cannot be stored; `missing`:
 * references to ids that are neither defined in it nor imported before are left out and reported.
 */
export async function applyDraft(
  ctx: Ctx,
  { draft: written, missing }: { readonly draft: Draft; readonly missing: readonly MissingRef[] },
  options: {
    readonly system: string;
    readonly dryRun: boolean;
    readonly locale: string;
    readonly products: ProductMode;
    readonly stock: "report" | "apply";
  },
): Promise<Applied> {
  const work = await openWork(ctx, written, options);
  const losses = createLosses();
  const draft = await withoutMissing(work, written, missing, losses);
  await refuseDeepGroups(work, draft);
  const rows = await stageAll(work, draft);
  const linked = await linkProducts(work, draft, { mode: options.products, dryRun: options.dryRun });
  const isApplied = options.stock === "report" || (await applyStock(work, draft));
  if (!options.dryRun) await writeAll(ctx, work);
  const isComplete = linked.isComplete && isApplied && rows.every(({ outcome }) => outcome !== "deferred");
  return { rows, links: linked.rows, isComplete, losses: losses.list(), idOf: work.world.id };
}

type Work = Awaited<ReturnType<typeof openWork>>;

async function openWork(
  ctx: Ctx,
  draft: Draft,
  options: { readonly system: string; readonly locale: string },
) {
  const { tx, nowAt } = ctx;
  const settings = await readSettings(tx);
  const shared = { tx, nowAt, budget: createBudget() };
  const stagers = {
    menu: createStager(menus, shared),
    category: createStager(categories, shared),
    item: createStager(items, shared),
    group: createStager(modifierGroups, shared),
    modifier: createStager(modifiers, shared),
    schedule: createStager(schedules, shared),
    level: createStager(priceLevels, shared),
    stock: createStager(stocks, shared),
  };
  const own = await ownIds(draft, stagers);
  const levels = await readAll(tx, priceLevels, ({ value: { id, external_refs, automatic, title } }) => [
    { id, external_refs, automatic, title },
  ]);
  const hours = new Map(
    await readAll(tx, schedules, ({ value }) => [[value.id, hoursOfSchedule(value)] as const]),
  );
  const names = createNames(options.system, (kind, ref) => {
    if (kind === "level") {
      // Our own list was exported under its title: it is found by that, and by the id that an import assigned.
      const level = levels.find(
        ({ external_refs: refs, automatic, title }) =>
          refs?.some(({ system, id }) => system === options.system && id === ref) === true ||
          (!automatic && Object.values(title).some((text) => slug(text, "") === ref)),
      );
      if (level !== undefined) return level.id;
    }
    return own.has(`${kind} ${ref}`) ? ref : null;
  });
  const world: ImportContext = {
    ...names,
    hoursOf: (ids) => ids.flatMap((id) => hours.get(id) ?? []),
    timeZone: settings.time_zone,
    locale: options.locale,
  };
  return { ctx, stagers, world };
}

async function stageAll(work: Work, draft: Draft): Promise<Row[]> {
  const { stagers, world } = work;
  const rows: Row[] = [];
  let isFull = false;
  const step = async (
    { kind, ref, path, id }: Omit<Row, "outcome">,
    stage: () => Promise<Outcome>,
  ): Promise<void> => {
    await giveWay(work.ctx.tx.part);
    const outcome = isFull ? "deferred" : await stage();
    isFull ||= outcome === "deferred";
    rows.push({ kind, ref, path, id, outcome });
  };
  for (const [key, { hours, path }] of hoursOfDraft(draft)) {
    const value = toSchedule(hours, world);
    await step({ kind: "schedule", ref: key, path, id: value.id }, () => keepSchedule(work, value, path));
  }
  for (const { kind, draft: input } of groupSteps(draft)) {
    const id = world.id(kind, input.ref);
    await step({ kind, ref: input.ref, path: input.path, id }, async () =>
      kind === "group"
        ? stagers.group.stage(id, toGroup(input, await stagers.group.read(id), world), input.path)
        : stagers.modifier.stage(id, toModifier(input, await stagers.modifier.read(id), world), input.path),
    );
  }
  for (const input of draft.items) {
    const id = world.id("item", input.ref);
    await step({ kind: "item", ref: input.ref, path: input.path, id }, async () =>
      stagers.item.stage(id, toItem(input, await stagers.item.read(id), world), input.path),
    );
  }
  isFull ||= !(await linkItems(work, draft, isFull));
  for (const { draft: input, place } of categorySteps(draft)) {
    const id = world.id("category", input.ref);
    await step({ kind: "category", ref: input.ref, path: input.path, id }, async () =>
      stagers.category.stage(
        id,
        toCategory(input, await stagers.category.read(id), place, world),
        input.path,
      ),
    );
  }
  for (const { category, items: refs, path } of draft.additions ?? []) {
    await giveWay(work.ctx.tx.part);
    const id = world.id("category", category);
    const before = await stagers.category.read(id);
    if (before === null || isFull) continue;
    const added = refs.map((ref) => world.id("item", ref)).filter((ref) => !before.item_ids.includes(ref));
    if (added.length === 0) continue;
    const value = { ...before, item_ids: [...before.item_ids, ...added] };
    await step({ kind: "category", ref: category, path, id }, () => stagers.category.stage(id, value, path));
  }
  for (const input of draft.menus) {
    const id = world.id("menu", input.ref);
    await step({ kind: "menu", ref: input.ref, path: input.path, id }, () => stageMenu(input, work));
  }
  for (const input of draft.levels) {
    const id = world.id("level", input.ref);
    await step({ kind: "level", ref: input.ref, path: input.path, id }, async () =>
      stagers.level.stage(id, toLevel(input, await stagers.level.read(id), world), input.path),
    );
  }
  return rows;
}

/** All hours of a draft, each once. */
function hoursOfDraft(
  draft: Draft,
): ReadonlyMap<string, { readonly hours: DraftHours; readonly path: Path }> {
  const distinct = new Map<string, { hours: DraftHours; path: Path }>();
  for (const { hours, path } of [...draft.menus, ...draft.categories, ...draft.items, ...draft.levels]) {
    if (hours != null && !distinct.has(hoursKey(hours))) distinct.set(hoursKey(hours), { hours, path });
  }
  return distinct;
}

/** A schedule is identified by its hours: an existing one is equal, and may have been renamed. */
async function keepSchedule({ stagers }: Work, value: TreeSchedule, path: Path): Promise<Outcome> {
  if ((await stagers.schedule.read(value.id)) !== null) return "unchanged";
  return stagers.schedule.stage(value.id, { ...value, holidays: null }, path);
}

/** Sets the item of a modifier, once items exist. False if it does not fit into the commit. */
async function linkItems({ stagers, world }: Work, draft: Draft, isFull: boolean): Promise<boolean> {
  for (const { ref, item, path } of draft.modifiers) {
    if (item === undefined || isFull) continue;
    const id = world.id("modifier", ref);
    const modifier = await stagers.modifier.read(id);
    const itemId = world.id("item", item);
    if (modifier === null || modifier.item_id === itemId || (await stagers.item.read(itemId)) === null)
      continue;
    if ((await stagers.modifier.stage(id, { ...modifier, item_id: itemId }, path)) === "deferred")
      return false;
  }
  return true;
}

async function writeAll(ctx: Ctx, { stagers }: Work): Promise<void> {
  stagers.stock.write(ctx.tx);
  const { stock: _stock, ...catalogue } = stagers;
  if (Object.values(catalogue).every((stager) => stager.isEmpty())) return;
  const counted = [
    { stager: stagers.menu, of: menus, max: MENU_LIMITS.menus },
    { stager: stagers.category, of: categories, max: MENU_LIMITS.categories },
    { stager: stagers.item, of: items, max: MENU_LIMITS.items },
    { stager: stagers.group, of: modifierGroups, max: MENU_LIMITS.modifierGroups },
    { stager: stagers.modifier, of: modifiers, max: MENU_LIMITS.modifiers },
    { stager: stagers.schedule, of: schedules, max: MENU_LIMITS.schedules },
    { stager: stagers.level, of: priceLevels, max: MENU_LIMITS.priceLevels },
  ];
  await markChanged(ctx.tx, ctx.newId);
  for (const { stager, of, max } of counted) {
    const by = stager.created();
    if (by > 0) await markChanged(ctx.tx, ctx.newId, { of: of.name, by, max });
    stager.write(ctx.tx);
  }
}
