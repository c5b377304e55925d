import { giveWay } from "../../../lib/slices.ts";
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

/** A step that is shown, with the fields to show. */
export interface OpenStep extends Step {
  readonly shown: readonly Field[];
}

/** The steps that are shown with these answers. `key`: for whom, with pauses: see `giveWay`. */
export async function openSteps(content: FormContent, data: Answers, key: string): Promise<OpenStep[]> {
  const open: OpenStep[] = [];
  for (const step of content.steps) {
    await giveWay(key);
    if (step.visible_when !== undefined && !holds(step.visible_when, data)) continue;
    const shown: Field[] = [];
    for (const field of content.fields) {
      if (!step.fields.includes(field.key)) continue;
      await giveWay(key);
      if (isShown(field, step, data)) shown.push(field);
    }
    if (shown.length > 0) open.push({ ...step, shown });
  }
  return open;
}

/** Without script, a field whose condition refers to the same step is shown in any case, since the answer is not known yet. */
const isShown = ({ visible_when: when }: Field, step: Step, data: Answers): boolean =>
  when === undefined || holds(when, data) || fieldsOf(when).some((one) => step.fields.includes(one));

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
