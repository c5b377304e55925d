import type { FormContent, Step } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import type { Fault } from "../schema/submission.ts";
import { fieldsOf, holds } from "./condition.ts";

/** The page after the last step, on which the answers are checked and sent. */
export const REVIEW = "_review";

/** Where a visitor is in a form of several steps, as the page sends it. */
export interface Walk {
  /** Key of the step that the page showed, or REVIEW. */
  readonly step: string;
  /** `next`, `back`, `save`, `send`, or `to.` and the key of a step. */
  readonly go: string;
  /** The review page was reached: a corrected step leads back to it. */
  readonly reviewed: boolean;
}

/** The steps that are shown with these answers. */
export const openSteps = (content: FormContent, data: Answers): Step[] =>
  content.steps.filter(
    (step) =>
      (step.visible_when === undefined || holds(step.visible_when, data)) &&
      shownFields(content, step, data).length > 0,
  );

/**
 * The fields of a step to show. Without script, a field whose condition refers to the same step is shown in any case, since
 * the answer is not known yet.
 */
export const shownFields = ({ fields }: FormContent, step: Step, data: Answers): Field[] =>
  fields.filter(
    ({ key, visible_when: when }) =>
      step.fields.includes(key) &&
      (when === undefined || holds(when, data) || fieldsOf(when).some((one) => step.fields.includes(one))),
  );

/** The first shown step that has a fault; null without one. */
export const faultyStep = (steps: readonly Step[], faults: readonly Fault[]): string | null =>
  steps.find((step) => faults.some(({ field }) => step.fields.includes(field)))?.key ?? null;

/** Faults of one step. */
export const faultsIn = (step: Step | undefined, faults: readonly Fault[]): Fault[] =>
  faults.filter(({ field }) => step?.fields.includes(field));

/** The page that follows: a step or REVIEW. `faults` are those of all answers so far. */
export function nextPage(
  steps: readonly Step[],
  { go, reviewed, step }: Walk,
  faults: readonly Fault[],
): string {
  const order = [...steps.map(({ key }) => key), REVIEW];
  const index = order.indexOf(step);
  if (go.startsWith("to.")) return order.includes(go.slice(3)) ? go.slice(3) : (order[0] ?? REVIEW);
  if (go === "back") return order[Math.max(index - 1, 0)] ?? REVIEW;
  const next = reviewed ? REVIEW : (order[index + 1] ?? REVIEW);
  return next === REVIEW ? (faultyStep(steps, faults) ?? REVIEW) : next;
}
