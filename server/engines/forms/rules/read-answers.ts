import type { z } from "zod";

import { giveWay } from "../../../lib/slices.ts";
import type { FormContent, Step } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import { Answer, isDecoration } from "../schema/field.ts";
import type { Fault } from "../schema/submission.ts";
import type { FaultWords } from "./compile-field.ts";
import { compileField } from "./compile-field.ts";
import { holds, isEmpty } from "./condition.ts";
import type { Normaliser } from "./normalise.ts";
import { normaliseAnswer } from "./normalise.ts";

export interface ReadOptions extends Normaliser {
  /** `whole`: required answers must be present. `partial`: nothing is required yet. A step's key: only its fields. */
  readonly extent: "whole" | "partial" | { readonly step: string };
  /** Unknown fields: an error for API clients, ignored for pages without script. */
  readonly unknown: "fault" | "ignore";
  readonly words: FaultWords;
  /** For whom they are read, with pauses: see `giveWay`. */
  readonly key: string;
}

export interface ReadAnswers {
  /** Only answers to fields that are visible with the preceding answers. */
  readonly data: Answers;
  readonly faults: readonly Fault[];
  readonly visible: readonly string[];
  readonly required: readonly string[];
}

type FormFields = Pick<FormContent, "fields" | "steps">;

/**
 * Evaluates the answers with the form's own logic, field by field: the visibility of a field depends on the accepted
 * answers before it, so an answer to a hidden field never reaches the data, nor any later condition.
 */
export async function readAnswers(
  form: FormFields,
  raw: Readonly<Record<string, unknown>>,
  how: ReadOptions,
): Promise<ReadAnswers> {
  const data: Answers = {};
  const faults: Fault[] = [];
  const visible: string[] = [];
  const required: string[] = [];
  for (const field of form.fields) {
    await giveWay(how.key);
    if (!isVisible(field, form.steps, data)) continue;
    visible.push(field.key);
    const isRequired = isAskedFor(field, data);
    if (isRequired) required.push(field.key);
    const value = normaliseAnswer(field, Object.hasOwn(raw, field.key) ? raw[field.key] : undefined, how);
    if (isEmpty(value) || (isRequired && value === false && isTick(field))) {
      if (isRequired && isInExtent(field, form.steps, how.extent)) faults.push(missing(field, how.words));
      continue;
    }
    const checked = compileField(field, how.words)?.safeParse(value);
    const answer = checked?.success === true ? Answer.safeParse(checked.data) : undefined;
    if (answer?.success === true) data[field.key] = answer.data;
    else faults.push(invalid(field, checked?.error, how.words));
  }
  if (how.unknown === "fault") faults.push(...unknownKeys(form.fields, raw));
  return { data, faults, visible, required };
}

/** A field is visible if its step is and its own condition is met. */
function isVisible(field: Field, steps: readonly Step[], answers: Answers): boolean {
  const step = stepOf(steps, field.key);
  if (step?.visible_when !== undefined && !holds(step.visible_when, answers)) return false;
  return field.visible_when === undefined || holds(field.visible_when, answers);
}

const isAskedFor = (field: Field, answers: Answers): boolean =>
  !isDecoration(field) &&
  (field.required || (field.required_when !== undefined && holds(field.required_when, answers)));

/** Checkboxes: false means no answer. */
const isTick = ({ type, options }: Field): boolean =>
  type === "consent" || type === "boolean" || (type === "checkbox" && options === undefined);

const stepOf = (steps: readonly Step[], key: string): Step | undefined =>
  steps.find(({ fields }) => fields.includes(key));

function isInExtent({ key }: Field, steps: readonly Step[], extent: ReadOptions["extent"]): boolean {
  if (extent === "whole") return true;
  return extent !== "partial" && stepOf(steps, key)?.key === extent.step;
}

const missing = (field: Field, { say }: FaultWords): Fault => ({
  field: field.key,
  code: "required",
  message: say(isTick(field) ? "form.fault_tick" : "form.fault_required"),
});

function invalid({ key, type }: Field, error: z.ZodError | undefined, { say }: FaultWords): Fault {
  const issue = error?.issues[0];
  const part = issue?.path[0];
  if (type === "address" && typeof part === "string") {
    const known = ADDRESS_PARTS.find((one) => one === part);
    const shown = known === undefined ? part : say(`form.${known}`);
    return { field: key, code: "invalid", message: say("form.fault_address", { part: shown }) };
  }
  return { field: key, code: "invalid", message: issue?.message ?? say("form.fault_unreadable") };
}

const ADDRESS_PARTS = ["line1", "line2", "city", "postcode"] as const;

function unknownKeys(fields: readonly Field[], raw: Readonly<Record<string, unknown>>): Fault[] {
  const keySet = new Set(fields.filter((field) => !isDecoration(field)).map(({ key }) => key));
  return Object.keys(raw)
    .filter((key) => !keySet.has(key))
    .slice(0, 20)
    .map((field) => ({ field, code: "unknown_field", message: "The form has no field with this key." }));
}
