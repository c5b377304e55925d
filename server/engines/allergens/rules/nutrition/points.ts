import type { Big } from "big.js";

import type { PointStep } from "../../data/nutrition/score-tables.ts";
import type { Component } from "../../schema/score.ts";

export interface Measure {
  readonly component: string;
  readonly value: Big;
  readonly unit: string;
  /** The table says "at least" where the others say "more than". */
  readonly isInclusive?: boolean;
}

/** Points of a value by a table in ascending order. */
export function scoreComponent(measure: Measure, steps: readonly PointStep[]): Component {
  const { component, value, unit, isInclusive = false } = measure;
  const passed = steps.filter(({ over }) => (isInclusive ? value.gte(over) : value.gt(over)));
  const last = passed.at(-1);
  const next = steps[passed.length];
  const word = isInclusive ? "at least" : "more than";
  const shown = `${value.round(4).toFixed()} ${unit}`;
  const reached = last === undefined ? "" : ` is ${word} ${last.over}`;
  const ahead = next === undefined ? "" : ` ${last === undefined ? "is" : "and"} not ${word} ${next.over}`;
  const points = last?.points ?? 0;
  return {
    component,
    value: value.toNumber(),
    unit,
    points,
    max: steps.at(-1)?.points ?? 0,
    detail: `${shown}${reached}${ahead}: ${points} ${points === 1 ? "point" : "points"}.`,
  };
}

export const sumPoints = (components: readonly Component[]): number =>
  components.reduce((sum, { points }) => sum + points, 0);

/** A component that a score looks at and does not count, with the reason in its detail. */
export const withoutPoints = (component: Component, reason: string): Component => ({
  ...component,
  points: 0,
  detail: `${component.detail} Not counted: ${reason}`,
});

/** A component whose points are cut at a ceiling. */
export const capPoints = (component: Component, max: number, reason: string): Component =>
  component.points <= max
    ? { ...component, max }
    : { ...component, points: max, max, detail: `${component.detail} Cut to ${max}: ${reason}` };
