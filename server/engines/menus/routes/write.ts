import type { Collection } from "../../../core/collection.ts";
import { conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { markChanged, readAll, readSettings } from "../repository.ts";
import {
  categories,
  connections,
  items,
  menus,
  modifierGroups,
  modifiers,
  priceLevels,
  schedules,
} from "../repository.ts";
import { UNTOLD } from "../schema/parts.ts";

/** Errors declared by the routes of a resource. */
export const full = conflictWhen("limit_reached", "The store has reached its limit of these resources");
export const referenced = conflictWhen(
  "referenced",
  "Still referenced by other resources; the response lists them",
);

type Body = Readonly<Record<string, unknown>>;

/** A body whose plain texts are in the store's own language. */
export async function inOwnLanguage<B extends Body>(tx: Tx, body: B): Promise<B> {
  const { default_locale: locale } = await readSettings(tx);
  return nameLanguage(body, locale);
}

/** Sets a language tag on texts without one, at any depth. */
const nameLanguage = <T>(value: T, locale: string): T =>
  JSON.parse(JSON.stringify(value), (_name, member: unknown) => {
    if (typeof member !== "object" || member === null || !(UNTOLD in member)) return member;
    const { [UNTOLD]: text, ...rest } = member;
    return { [locale]: text, ...rest };
  });

/** Throws 422 for the first unknown id. Existing references are valid: their targets cannot be deleted. */
export async function requireIds<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  named: {
    readonly member: string;
    readonly ids: readonly string[];
    readonly before?: readonly string[] | undefined;
  },
): Promise<void> {
  const { member, ids, before = [] } = named;
  const previous = new Set(before);
  const documents = await Promise.all(
    ids.map(async (id) => previous.has(id) || (await tx.get(collection, id)) !== null),
  );
  const at = documents.indexOf(false);
  if (at >= 0) throw invalidField([member, at], "No resource with this id in this store.");
}

/** The same for a single optional reference. */
export async function requireId<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  named: { readonly member: string; readonly id: string | null; readonly before?: string | null | undefined },
): Promise<void> {
  if (named.id === null || named.id === named.before || (await tx.get(collection, named.id)) !== null) return;
  throw invalidField([named.member], "No resource with this id in this store.");
}

/** Throws 422 for a list with duplicates. */
export function refuseTwice(member: string, ids: readonly string[]): void {
  const at = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (at >= 0) throw invalidField([member, at], "Duplicate id.");
}

export function refuseReversed(from: string | null, until: string | null): void {
  if (from !== null && until !== null && until < from) {
    throw invalidField(["valid_until"], "`valid_until` must not be earlier than `valid_from`.");
  }
}

/** Records an added or removed document of a collection. */
export const countNew = <T>(ctx: Ctx, of: Collection<T>, max: number): Promise<void> =>
  markChanged(ctx.tx, ctx.newId, { of: of.name, by: 1, max });
export const countGone = <T>(ctx: Ctx, of: Collection<T>): Promise<void> =>
  markChanged(ctx.tx, ctx.newId, { of: of.name, by: -1, max: 0 });

export const newTimes = ({ nowAt }: Ctx) => ({ created_at: nowAt, updated_at: nowAt });

type Named = readonly (string | null)[];
type FindNamers = (tx: Tx, wanted: ReadonlySet<string | null>) => Promise<string[]>;

/** Ids of the documents of a collection that refer to one of some ids. */
const namers =
  <T>(collection: Collection<T>, idsOf: (value: T) => Named): FindNamers =>
  (tx, ids) =>
    readAll(tx, collection, ({ id, value }) => (idsOf(value).some((each) => ids.has(each)) ? [id] : []));

/** Possible referrers, by kind. */
const NAMERS = {
  menu: namers(menus, (menu) => [...menu.category_ids, ...menu.schedule_ids, menu.price_level_id]),
  category: namers(categories, (category) => [
    ...category.item_ids,
    ...category.schedule_ids,
    category.parent_id,
  ]),
  item: namers(items, (item) => [
    ...item.schedule_ids,
    ...item.modifier_groups.flatMap((use) => [use.group_id, ...use.hidden_modifier_ids]),
  ]),
  schedule: namers(schedules, (schedule) => [schedule.holidays?.calendar_id ?? null]),
  modifier_group: namers(modifierGroups, (group) => group.modifier_ids),
  modifier: namers(modifiers, (modifier) => [...modifier.nested_group_ids, modifier.item_id]),
  price_level: namers(priceLevels, (level) => [
    ...level.overrides.map((override) => override.target_id),
    level.menu_id,
    level.schedule_id,
  ]),
  connection: namers(connections, (connection) => [connection.menu_id]),
};

export type ReferrerKind = keyof typeof NAMERS;

/** Referrers listed in an error. */
const SHOWN = 20;

/**
 * Throws 409 `referenced` with the referrers of some ids. Reads whole collections, so call `markChanged` as well: a
 * concurrent new reference then causes a retry.
 */
export async function refuseWhileReferenced(
  tx: Tx,
  ids: readonly string[],
  kinds: readonly ReferrerKind[],
): Promise<void> {
  const idSet = new Set<string | null>(ids);
  const referrers = (await Promise.all(kinds.map((kind) => NAMERS[kind](tx, idSet)))).flat();
  if (referrers.length === 0) return;
  const shown = referrers.slice(0, SHOWN);
  throw fail(
    "conflict",
    `Still referenced by ${referrers.length} resources: ${shown.join(", ")}. Remove the references first.`,
    {
      code: "referenced",
      errors: shown.map((detail) => ({ detail })),
    },
  );
}
