import type { FoldedDay, FoldedMark } from "../schema/ledger.ts";

type Sum = FoldedDay | FoldedMark;

interface Kind<T> {
  /** Sums of different names are not added. */
  readonly nameOf: (sum: T) => string;
  readonly add: (one: T, other: T) => T;
}

/** Orders of a period have the day of the last of them. */
export const ORDERS: Kind<FoldedDay> = {
  nameOf: ([, channel]) => channel ?? "",
  add: ([day, channel, orders, spend, categories], [otherDay, , otherOrders, otherSpend, more]) => [
    day > otherDay ? day : otherDay,
    channel,
    orders + otherOrders,
    spend + otherSpend,
    addRecords(categories, more),
  ],
};

/** Marks of a period have the day of the first of them, since a customer joined on that of the first. */
export const MARKS: Kind<FoldedMark> = {
  nameOf: ([, type, key]) => `${type} ${key ?? ""}`,
  add: ([day, type, key, amount], [otherDay, , , other]) => [
    day < otherDay ? day : otherDay,
    type,
    key,
    amount + other,
  ],
};

/** Adds the sums of each period, a day by default, in the order of their periods. */
export function joinSums<T extends Sum>(
  sums: readonly T[],
  { nameOf, add }: Kind<T>,
  periodOf: (day: string) => string = (day) => day,
): T[] {
  const joined = new Map<string, T>();
  for (const sum of sums) {
    const name = `${periodOf(sum[0])} ${nameOf(sum)}`;
    const known = joined.get(name);
    joined.set(name, known === undefined ? sum : add(known, sum));
  }
  return [...joined].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

export interface Room {
  readonly chars: number;
  /** What is earlier than its month is summed up by months in any case. */
  readonly limit: string;
  /** First day of the programme: no sum has days before and after it. */
  readonly startDate: string;
}

const [MONTH, YEAR] = ["0000-00".length, "0000".length];

/** Sums that need less room: of months instead of days from the oldest on, then of years, as far as it has to be. */
export function fitSums<T extends Sum>(
  sums: readonly T[],
  kind: Kind<T>,
  { chars, limit, startDate }: Room,
): T[] {
  const join = (some: readonly T[], before: string, length: number): T[] =>
    joinSums(some, kind, (day) => {
      const period = day.slice(0, MONTH) < before ? day.slice(0, length) : day;
      return day < startDate ? `${period} early` : period;
    });
  const months = [...new Set(sums.map(([day]) => day.slice(0, MONTH)))].sort();
  let fitted = join(sums, limit.slice(0, MONTH), MONTH);
  for (const length of [MONTH, YEAR])
    for (const month of months) {
      if (JSON.stringify(fitted).length <= chars) return fitted;
      fitted = join(fitted, `${month}~`, length);
    }
  return fitted;
}

function addRecords(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...one };
  for (const [name, amount] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
