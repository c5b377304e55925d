import type { GroupUse, Variation } from "../schema/item.ts";
import type { Text } from "../schema/parts.ts";
import type { Override } from "../schema/price-level.ts";
import type { TreeCategory, TreeItem, TreeMenu, TreePriceLevel, TreeSchedule } from "../schema/tree.ts";
import type {
  DraftCategory,
  DraftHours,
  DraftImage,
  DraftItem,
  DraftLevel,
  DraftMenu,
  DraftText,
} from "./draft.ts";
import { hasHours, hoursKey, hoursTitle } from "./hours-key.ts";
import type { Names } from "./names.ts";
import { canonicalRules } from "./week.ts";

/**
 * Converts objects of a draft to resources. `before` is the stored resource: fields that are missing in the document
 * do not change, and neither do texts in other languages.
 */
export interface ImportContext extends Names {
  /** The hours of schedules of the store. */
  readonly hoursOf: (scheduleIds: readonly string[]) => readonly DraftHours[];
  readonly timeZone: string;
  readonly locale: string;
}

type Refs = TreeItem["external_refs"];

/** Adds the id of the system to the external ids of a resource; our own id is not stored as one. */
export function withRef(
  refs: Refs,
  id: string,
  system: string,
  ref: string,
): { external_refs?: NonNullable<Refs> } {
  const others = (refs ?? []).filter((ref) => ref.system !== system);
  const own = ref === id ? [] : [{ system, id: ref }];
  const all = [...others, ...own].slice(-10);
  return all.length === 0 ? {} : { external_refs: all };
}

export const mergeText = (before: Text | undefined | null, changes: DraftText): Text => ({
  ...before,
  ...changes,
});

const mergeOptional = (before: Text | null | undefined, changes: DraftText | null | undefined): Text | null =>
  changes === undefined ? (before ?? null) : changes === null ? null : mergeText(before, changes);

function scheduleIds(
  before: readonly string[] | undefined,
  hours: DraftHours | null | undefined,
  world: ImportContext,
): string[] {
  if (hours === undefined || hasHours(world.hoursOf(before ?? []), hours)) return [...(before ?? [])];
  return hours === null ? [] : [world.id("schedule", hoursKey(hours))];
}

/** The schedule for hours of a document; equal hours share one. */
export function toSchedule(hours: DraftHours, world: ImportContext): TreeSchedule {
  return {
    id: world.id("schedule", hoursKey(hours)),
    title: { [world.locale]: hoursTitle(hours) },
    rules: canonicalRules(hours.rules).map(({ days, start, end }) => ({ days: [...days], start, end })),
    valid_from: hours.validFrom ?? null,
    valid_until: hours.validUntil ?? null,
    exceptions: (hours.exceptions ?? []).map(({ date, ranges }) => ({
      date,
      closed: ranges.length === 0,
      ranges: ranges.map(({ start, end }) => ({ start, end })),
    })),
  };
}

/** Without its categories, which are added once they exist. */
export function toMenu(draft: DraftMenu, before: TreeMenu | null, world: ImportContext): TreeMenu {
  const id = world.id("menu", draft.ref);
  return {
    ...(before ?? {
      category_ids: [],
      price_level_id: null,
      valid_from: null,
      valid_until: null,
      audience: "all",
      channels: [],
      time_zone: world.timeZone,
    }),
    id,
    title: mergeText(before?.title, draft.title),
    description: mergeOptional(before?.description, draft.description),
    ...(draft.channels === undefined ? {} : { channels: [...draft.channels] }),
    currency: draft.currency,
    ...(draft.timeZone === undefined ? {} : { time_zone: draft.timeZone }),
    schedule_ids: scheduleIds(before?.schedule_ids, draft.hours, world),
    ...withRef(before?.external_refs, id, world.system, draft.ref),
  };
}

/** `place` is its position among its siblings. */
export function toCategory(
  draft: DraftCategory,
  before: TreeCategory | null,
  place: number,
  world: ImportContext,
): TreeCategory {
  const id = world.id("category", draft.ref);
  const refs = draft.items.map((ref) => world.id("item", ref));
  const added = refs.filter((item) => before?.item_ids.includes(item) !== true);
  const parent =
    draft.parent === undefined
      ? (before?.parent_id ?? null)
      : draft.parent === null
        ? null
        : world.id("category", draft.parent);
  return {
    ...(before ?? { menu_ids: [], channels: [], visible: true, image: null }),
    id,
    title: mergeText(before?.title, draft.title),
    description: mergeOptional(before?.description, draft.description),
    ...(draft.image === undefined
      ? {}
      : { image: draft.image === null ? null : toImage(draft.image, before?.image) }),
    parent_id: parent,
    menu_ids: parent === null ? (before?.menu_ids ?? []) : [],
    item_ids: draft.addsItems === true && before !== null ? [...before.item_ids, ...added] : refs,
    schedule_ids: scheduleIds(before?.schedule_ids, draft.hours, world),
    sort_order: place,
    ...(draft.visible === undefined ? {} : { visible: draft.visible }),
    ...withRef(before?.external_refs, id, world.system, draft.ref),
  };
}

/** The alt text of an unchanged image is retained if the system has none. */
const toImage = (
  { url, alt }: DraftImage,
  before: { readonly url: string; readonly alt: Text | null } | null | undefined,
) => ({ url, alt: alt === null ? (before?.url === url ? before.alt : null) : mergeText(before?.alt, alt) });

export function toItem(draft: DraftItem, before: TreeItem | null, world: ImportContext): TreeItem {
  const id = world.id("item", draft.ref);
  const refs = withRef(before?.external_refs, id, world.system, draft.ref);
  const only = draft.onlyVariation;
  return {
    ...(before ?? BLANK_ITEM),
    id,
    title: mergeText(before?.title, draft.title),
    description: mergeOptional(before?.description, draft.description),
    ...(draft.sku === undefined ? {} : { sku: draft.sku }),
    price: draft.isMenuPrice === true ? (before?.price ?? draft.price) : draft.price,
    ...(draft.taxIncluded === undefined ? {} : { tax_inclusive: draft.taxIncluded }),
    variations: draft.variations.map((variation) => toVariation(variation, before, world)),
    modifier_groups: draft.groups.map((use) => toUse(use, before, world)),
    ...(draft.kcal === undefined ? {} : { kcal: toKcal(draft.kcal, before?.kcal) }),
    ...(draft.serves === undefined ? {} : { serves: draft.serves }),
    ...alcoholOf(draft, before),
    ...(draft.prepMinutes === undefined ? {} : { prep_time_minutes: draft.prepMinutes }),
    ...(draft.maxPerOrder === undefined ? {} : { max_per_order: draft.maxPerOrder }),
    ...(draft.tags === undefined ? {} : { tags: [...draft.tags] }),
    schedule_ids: scheduleIds(before?.schedule_ids, draft.hours, world),
    ...(draft.images === undefined
      ? {}
      : {
          images: draft.images.map((image) =>
            toImage(
              image,
              before?.images.find(({ url }) => url === image.url),
            ),
          ),
        }),
    ...refs,
    ...(only === undefined || isOwnVariation(only, id)
      ? {}
      : withRef(refs.external_refs, id, `${world.system}-variation`, only)),
  };
}

/** The name under which an item without variations is exported. */
const isOwnVariation = (ref: string, id: string): boolean => ref === `${id}.variation`;

/** What is not known of a new item. */
export const BLANK_ITEM = {
  sku: null,
  product_id: null,
  tax_rate_id: null,
  tax_inclusive: true,
  kcal: null,
  portion_text: null,
  serves: null,
  tags: [],
  alcohol: null,
  age_restricted: null,
  prep_time_minutes: null,
  lead_time_minutes: null,
  max_per_order: null,
  channels: [],
  images: [],
};

function toVariation(
  draftVariation: DraftItem["variations"][number],
  item: TreeItem | null,
  world: ImportContext,
): Variation {
  const id = world.id("variation", draftVariation.ref);
  const before = item?.variations.find((variation) => variation.id === id);
  return {
    ...(before ?? { sku: null, kcal: null, portion_text: null }),
    id,
    title: mergeText(before?.title, draftVariation.title),
    price: draftVariation.price,
    ...(draftVariation.sku === undefined ? {} : { sku: draftVariation.sku }),
    ...withRef(before?.external_refs, id, world.system, draftVariation.ref),
  };
}

function toUse(input: DraftItem["groups"][number], item: TreeItem | null, world: ImportContext): GroupUse {
  const id = world.id("group", input.group);
  const before = item?.modifier_groups.find((use) => use.group_id === id);
  if (input.isPlain === true && before !== undefined) return before;
  return {
    group_id: id,
    ...(input.min === undefined ? {} : { min: input.min }),
    ...(input.max === undefined ? {} : { max: input.max }),
    hidden_modifier_ids:
      input.hidden?.map((ref) => world.id("modifier", ref)) ?? before?.hidden_modifier_ids ?? [],
  };
}

/** A system with a single number leaves the upper end unchanged if the number equals the lower end. */
export const toKcal = (
  input: DraftItem["kcal"] & ({ readonly min: number; readonly max?: number } | null),
  before: TreeItem["kcal"] | undefined,
): TreeItem["kcal"] =>
  input === null
    ? null
    : { min: input.min, max: input.max ?? (before?.min === input.min ? before.max : null) };

function alcoholOf(draft: DraftItem, before: TreeItem | null): { alcohol?: TreeItem["alcohol"] } {
  if (draft.alcohol === undefined) return {};
  if (!draft.alcohol) return { alcohol: null };
  return { alcohol: { abv: draft.abv === undefined ? (before?.alcohol?.abv ?? null) : draft.abv } };
}

export function toLevel(
  draft: DraftLevel,
  before: TreePriceLevel | null,
  world: ImportContext,
): TreePriceLevel {
  const id = world.id("level", draft.ref);
  return {
    ...(before ?? { priority: 0, round_to: null, title: { [world.locale]: draft.title } }),
    id,
    menu_id: draft.menu === undefined ? (before?.menu_id ?? null) : world.id("menu", draft.menu),
    channel: draft.channel ?? before?.channel ?? null,
    schedule_id: draft.hours === undefined ? null : world.id("schedule", hoursKey(draft.hours)),
    automatic: draft.automatic,
    overrides: mergeOverrides(
      before?.overrides ?? [],
      draft.prices.map(({ kind, ref, price }) => ({ target_id: world.id(kind, ref), price, percent: null })),
    ),
    ...withRef(before?.external_refs, id, world.system, draft.ref),
  };
}

/** Prices in the document replace existing ones; others are retained, since a document may be partial. */
function mergeOverrides(before: readonly Override[], changes: readonly Override[]): Override[] {
  const byTarget = new Map(changes.map((override) => [override.target_id, override]));
  const targets = new Set(before.map(({ target_id: id }) => id));
  return [
    ...before.map((override) => byTarget.get(override.target_id) ?? override),
    ...[...byTarget.values()].filter(({ target_id: id }) => !targets.has(id)),
  ];
}
