import type { Rsvp } from "../schema/headcount.ts";
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
    dietary: [...needs]
      .map(([code, count]) => ({ code, count }))
      .sort((a, b) => (a.code < b.code ? -1 : 1))
      .slice(0, 30),
    evidence: [
      `${coming.length} accepted with ${guests} guests, ${declined} declined, ${waiting} without an answer`,
    ],
  };
}
