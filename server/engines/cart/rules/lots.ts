import { allocate } from "../../../lib/money.ts";
import type { LineInput, UnitFilter } from "../schema/parts.ts";

/** Units of one line that cost the same now and took part in the same things. Amounts are per unit. */
export interface Lot {
  readonly line: LineInput;
  /** The same for units that are interchangeable: a line may be split without changing a price. */
  readonly kind: string;
  readonly count: number;
  readonly amount: number;
  readonly bundled: boolean;
  /** Took part in a buy-one-get-one, as what was bought or what was given. */
  readonly bogo: boolean;
  /** Order offers leave it out. */
  readonly closed: boolean;
}

/** Some units of a lot, and what becomes of them. */
export interface UnitPick {
  readonly lot: Lot;
  readonly count: number;
  /** What they cost together from now on. */
  readonly total: number;
  readonly marks: Partial<Omit<Lot, "line" | "count" | "amount">>;
}

export const toLots = (lines: readonly LineInput[]): Lot[] =>
  lines.map((line) => ({
    line,
    kind: kindOf(line),
    count: line.quantity,
    amount: line.unit_price,
    bundled: false,
    bogo: false,
    closed: false,
  }));

const kindOf = ({
  ref,
  category,
  tags,
  unit_price,
  compare_at,
  tax_rate_bps,
  selling_plan,
  bundle_id,
}: LineInput) =>
  JSON.stringify([
    ref,
    category,
    [...tags].sort(compareText),
    unit_price,
    compare_at,
    tax_rate_bps,
    selling_plan,
    bundle_id,
  ]);

/** Takes picks out of their lots and puts them back as lots of their own; a lot may be picked from more than once. */
export function carve(lots: readonly Lot[], picks: readonly UnitPick[]): Lot[] {
  const taken = new Map<Lot, number>();
  for (const { lot, count } of picks) taken.set(lot, (taken.get(lot) ?? 0) + count);
  const rest = lots.flatMap((lot) => {
    const count = lot.count - (taken.get(lot) ?? 0);
    return count > 0 ? [count === lot.count ? lot : { ...lot, count }] : [];
  });
  const carved = picks.flatMap(({ lot, count, total, marks }) =>
    evenly(total, count).map((part) => ({ ...lot, ...marks, ...part })),
  );
  return [...rest, ...carved];
}

/** A total over equal units: so many at the amount, so many at a minor unit more. */
export function evenly(total: number, count: number): { readonly count: number; readonly amount: number }[] {
  if (count === 0) return [];
  const amount = Math.floor(total / count);
  const more = total - amount * count;
  return [
    { count: more, amount: amount + 1 },
    { count: count - more, amount },
  ].filter((part) => part.count > 0);
}

/**
 * A total over units by what each costs; exact. Like units share alike, to the penny, and which of them bear the odd
 * pennies depends on nothing but their lines' order, so that neither splitting nor moving lines changes what is left of
 * any kind of unit.
 */
export function shareUnits(
  total: number,
  units: readonly { readonly lot: Lot; readonly count: number }[],
): { readonly lot: Lot; readonly count: number; readonly total: number }[] {
  const groups = new Map<string, { count: number; cost: number }>();
  for (const { lot, count } of units) {
    const group = groups.get(likeness(lot)) ?? { count: 0, cost: 0 };
    groups.set(likeness(lot), { count: group.count + count, cost: group.cost + count * lot.amount });
  }
  const names = [...groups.keys()].sort(compareText);
  const shares = allocate(
    total,
    names.map((name) => groups.get(name)?.cost ?? 0),
  );
  const left = new Map(
    names.map((name, at) => {
      const count = groups.get(name)?.count ?? 1;
      const each = Math.floor((shares[at] ?? 0) / count);
      return [name, { each, odd: (shares[at] ?? 0) - each * count }];
    }),
  );
  return units.map(({ lot, count }) => {
    const share = left.get(likeness(lot)) ?? { each: 0, odd: 0 };
    const odd = Math.min(share.odd, count);
    share.odd -= odd;
    return { lot, count, total: share.each * count + odd };
  });
}

const likeness = ({ kind, amount, bundled, bogo, closed }: Lot): string =>
  JSON.stringify([kind, amount, bundled, bogo, closed]);

export const costOf = (lots: readonly Lot[]): number =>
  lots.reduce((sum, { count, amount }) => sum + count * amount, 0);

export const unitsOf = (lots: readonly Lot[]): number => lots.reduce((sum, { count }) => sum + count, 0);

/** What each line costs, by line id. */
export function costByLine(lots: readonly Lot[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { line, count, amount } of lots) costs.set(line.id, (costs.get(line.id) ?? 0) + count * amount);
  return costs;
}

export const fits = (filter: UnitFilter, { ref, category, tags }: LineInput): boolean =>
  (filter.refs.length === 0 && filter.categories.length === 0 && filter.tags.length === 0) ||
  filter.refs.includes(ref) ||
  (category !== null && filter.categories.includes(category)) ||
  tags.some((tag) => filter.tags.includes(tag));

/**
 * Counts the units of a cart that fit a filter, for hundreds of filters: what lines have is looked up, so that a filter costs as much as its own
 * values and the lines that fit it.
 */
export function createUnitCount(lines: readonly LineInput[]): (filter: UnitFilter) => number {
  const all = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const refs = linesBy(lines, ({ ref }) => [ref]);
  const categories = linesBy(lines, ({ category }) => (category === null ? [] : [category]));
  const tags = linesBy(lines, (line) => line.tags);
  return (filter) => {
    if (filter.refs.length + filter.categories.length + filter.tags.length === 0) return all;
    const counted = new Uint8Array(lines.length);
    let units = 0;
    const count = (values: readonly string[], fitting: ReadonlyMap<string, readonly number[]>): void => {
      for (const value of values) {
        for (const index of fitting.get(value) ?? []) {
          if (counted[index] === 1) continue;
          counted[index] = 1;
          units += lines[index]?.quantity ?? 0;
        }
      }
    };
    count(filter.refs, refs);
    count(filter.categories, categories);
    count(filter.tags, tags);
    return units;
  };
}

/** Indexes of the lines that have a value. */
function linesBy(
  lines: readonly LineInput[],
  valuesOf: (line: LineInput) => readonly string[],
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const value of valuesOf(line)) {
      const own = found.get(value);
      if (own === undefined) found.set(value, [index]);
      else own.push(index);
    }
  }
  return found;
}

/** Cheapest first; what costs the same by its reference, so that neither the order nor the splitting of lines matters. */
export const byPrice = (a: Lot, b: Lot): number =>
  a.amount - b.amount || compareText(a.kind, b.kind) || compareText(a.line.id, b.line.id);

export const byPriceDown = (a: Lot, b: Lot): number =>
  b.amount - a.amount || compareText(a.kind, b.kind) || compareText(a.line.id, b.line.id);

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Takes units in order until there are enough of them. */
export function takeUnits(
  sorted: readonly Lot[],
  wanted: number,
): { readonly lot: Lot; readonly count: number }[] {
  const taken: { lot: Lot; count: number }[] = [];
  let left = wanted;
  for (const lot of sorted) {
    if (left <= 0) break;
    const count = Math.min(lot.count, left);
    taken.push({ lot, count });
    left -= count;
  }
  return taken;
}
