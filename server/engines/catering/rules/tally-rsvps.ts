import { sum } from "../../../lib/money.ts";
import type { Rsvp } from "../schema/headcount.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import type { Dietary } from "../schema/parts.ts";

export interface Tally {
  readonly count: number;
  /** People who said yes or no. */
  readonly answered: number;
  readonly dietary: Dietary;
  readonly evidence: readonly string[];
}

/** What the answers to invitations of a day come to: each who comes, with the guests that they bring. */
export function tallyRsvps(answers: readonly Pick<Rsvp, "answer" | "guests" | "dietary">[]): Tally {
  const coming = answers.filter(({ answer }) => answer === "accepted");
  const declined = answers.filter(({ answer }) => answer === "declined").length;
  const guests = coming.reduce((all, own) => all + own.guests, 0);
  const needs = new Map<string, number>();
  for (const code of coming.flatMap(({ dietary }) => [...new Set(dietary)])) {
    needs.set(code, (needs.get(code) ?? 0) + 1);
  }
  const waiting = answers.length - coming.length - declined;
  return {
    count: coming.length + guests,
    answered: coming.length + declined,
    dietary: listed(needs),
    evidence: [
      `${coming.length} accepted with ${guests} guests, ${declined} declined, ${waiting} without an answer`,
    ],
  };
}

/** The needs of an order after a guest has others than before; `others` are those that it has without the guests as well. */
export function withNeeds(
  dietary: Dietary,
  {
    needs,
    old,
    others = [],
  }: { readonly needs: readonly string[]; readonly old: readonly string[]; readonly others?: Dietary },
): Dietary {
  const counts = new Map(dietary.map(({ code, count }) => [code, count]));
  const [before, after] = [unique(counts, old), unique(counts, needs)];
  for (const code of before) {
    if (after.has(code)) continue;
    const now = counts.get(code) ?? 0;
    const least = others.filter((other) => other.code.toLowerCase() === code.toLowerCase());
    counts.set(code, Math.min(now, Math.max(now - 1, ...least.map(({ count }) => count))));
  }
  for (const code of after)
    if (!before.has(code) || !counts.has(code)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return listed(new Map([...counts].filter(([, count]) => count > 0)));
}

const unique = (counts: ReadonlyMap<string, number>, codes: readonly string[]): Set<string> =>
  new Set(codes.map((code) => codeIn(counts, code)));

/** A need as it is written among others already: "Vegan" and "vegan" are one. */
export const codeIn = (needs: ReadonlyMap<string, number>, code: string): string =>
  [...needs.keys()].find((known) => known.toLowerCase() === code.toLowerCase()) ?? code;

/** Needs by name, from how many have each. Guests write them as they like: of more than an order lists, the rarest are one entry that says that there are others. */
export function listed(needs: ReadonlyMap<string, number>): Dietary {
  const most = CATERING_LIMITS.orderDietary;
  const all = [...needs].map(([code, count]) => ({ code, count })).sort(byCode);
  if (all.length <= most) return all;
  const common = all.toSorted((a, b) => b.count - a.count);
  const others = common.splice(most - 1);
  const count = sum(others.map((need) => need.count));
  return [...common.sort(byCode), { code: `${others.length} others`, count }];
}

const byCode = (a: Dietary[number], b: Dietary[number]): number => (a.code < b.code ? -1 : 1);
