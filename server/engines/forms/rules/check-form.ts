import { FORMS_LIMITS } from "../data/limits.ts";
import type { FormContent } from "../schema.ts";
import type { Condition } from "../schema/condition.ts";
import type { Field } from "../schema/field.ts";
import { isDecoration } from "../schema/field.ts";
import { fieldsOf, sizeOf } from "./condition.ts";

export interface FormFault {
  readonly path: readonly (string | number)[];
  readonly detail: string;
}

/**
 * Inconsistencies in a form; empty for a valid one. A condition can only refer to earlier fields, so that two
 * fields cannot depend on each other.
 */
export function formFaults(form: FormContent): FormFault[] {
  return [
    ...twice(form.fields, "fields"),
    ...twice(form.steps, "steps"),
    ...twice(form.consents, "consents"),
    ...form.fields.flatMap((field, at) => fieldFaults(form, field, at)),
    ...stepFaults(form),
    ...mappingFaults(form),
    ...settingsFaults(form),
    ...notificationFaults(form),
  ];
}

/** Why a form cannot be published yet, in addition to its inconsistencies. */
export function publishFaults(form: FormContent): FormFault[] {
  const asks = form.fields.filter((field) => !isDecoration(field));
  return asks.length === 0
    ? [{ path: ["fields"], detail: "A form requires at least one field that can be filled in." }]
    : [];
}

function twice(entries: readonly { readonly key: string }[], member: string): FormFault[] {
  const keys = entries.map(({ key }) => key);
  return keys.flatMap((key, at) =>
    keys.indexOf(key) === at ? [] : [{ path: [member, at, "key"], detail: `Duplicate key ${key}.` }],
  );
}

const NEEDS_OPTIONS = new Set(["select", "radio", "multiselect"]);
const DATES = new Set(["date"]);

function fieldFaults(form: FormContent, field: Field, at: number): FormFault[] {
  const place = ["fields", at];
  const earlier = new Set(form.fields.slice(0, at).map(({ key }) => key));
  const faults: FormFault[] = [
    ...conditionFaults(field.visible_when, earlier, [...place, "visible_when"]),
    ...conditionFaults(field.required_when, earlier, [...place, "required_when"]),
  ];
  if (NEEDS_OPTIONS.has(field.type) && field.options === undefined) {
    faults.push({ path: [...place, "options"], detail: `A field of type ${field.type} requires options.` });
  }
  const values = (field.options ?? []).map(({ value }) => value);
  const again = values.findIndex((value, index) => values.indexOf(value) !== index);
  if (again !== -1) faults.push({ path: [...place, "options", again, "value"], detail: "Duplicate value." });
  return [...faults, ...boundFaults(field, place)];
}

function boundFaults(field: Field, place: readonly (string | number)[]): FormFault[] {
  const { max, max_length: most, min, min_length: least, type } = field;
  const expected = DATES.has(type) ? "string" : "number";
  const faults: FormFault[] = [];
  for (const [name, bound] of Object.entries({ min, max })) {
    if (bound !== undefined && typeof bound !== expected) {
      const detail = `Expected a ${expected === "string" ? "date" : "number"} for a ${type} field.`;
      faults.push({ path: [...place, name], detail });
    }
  }
  if (typeof min === typeof max && min !== undefined && max !== undefined && min > max) {
    faults.push({ path: [...place, "min"], detail: "Must not exceed max." });
  }
  if (least !== undefined && most !== undefined && least > most) {
    faults.push({ path: [...place, "min_length"], detail: "Must not exceed max_length." });
  }
  return faults;
}

function conditionFaults(
  condition: Condition | undefined,
  earlier: ReadonlySet<string>,
  path: readonly (string | number)[],
): FormFault[] {
  if (condition === undefined) return [];
  const { depth, nodes } = sizeOf(condition);
  if (nodes > FORMS_LIMITS.conditionNodes || depth > FORMS_LIMITS.conditionDepth) {
    const detail =
      `A condition can have at most ${FORMS_LIMITS.conditionNodes} parts, nested ${FORMS_LIMITS.conditionDepth} levels ` +
      "deep.";
    return [{ path, detail }];
  }
  return [...new Set(fieldsOf(condition))]
    .filter((key) => !earlier.has(key))
    .map((key) => ({
      path,
      detail: `${key} is not an earlier field. A condition can only refer to fields before it.`,
    }));
}

function stepFaults({ fields, steps }: FormContent): FormFault[] {
  if (steps.length === 0) return [];
  const order = fields.map(({ key }) => key);
  const listed = steps.flatMap((step) => step.fields);
  const faults: FormFault[] = [];
  const before = new Set<string>();
  for (const [at, step] of steps.entries()) {
    faults.push(...conditionFaults(step.visible_when, before, ["steps", at, "visible_when"]));
    for (const [index, key] of step.fields.entries()) {
      if (!order.includes(key)) {
        faults.push({ path: ["steps", at, "fields", index], detail: `No field with the key ${key}.` });
      }
      before.add(key);
    }
  }
  if (listed.join() !== order.join() && faults.length === 0) {
    faults.push({
      path: ["steps"],
      detail: "The steps must list every field once, in the order of the fields.",
    });
  }
  return faults;
}

/** References to fields in other members. */
function mappingFaults({ autoresponder, contact, fields, quote }: FormContent): FormFault[] {
  const types = new Map(fields.map(({ key, type }) => [key, type]));
  const faults: FormFault[] = [];
  const want = (key: string | null | undefined, path: readonly string[], type?: Field["type"]): void => {
    if (key === null || key === undefined) return;
    const fieldType = types.get(key);
    if (fieldType === undefined) faults.push({ path, detail: `No field with the key ${key}.` });
    else if (type !== undefined && fieldType !== type)
      faults.push({ path, detail: `${key} is not a field of type ${type}.` });
  };
  want(contact.name, ["contact", "name"]);
  want(contact.email, ["contact", "email"], "email");
  want(contact.phone, ["contact", "phone"], "phone");
  want(autoresponder.to_field, ["autoresponder", "to_field"], "email");
  if (autoresponder.enabled && autoresponder.to_field === null) {
    faults.push({
      path: ["autoresponder", "to_field"],
      detail: "Specify the e-mail field that the reply is sent to.",
    });
  }
  for (const [name, key] of Object.entries(quote.mapping)) {
    want(key, ["quote", "mapping", name], name === "email" ? "email" : undefined);
  }
  return faults;
}

function notificationFaults({ fields, notifications }: FormContent): FormFault[] {
  const keys = new Set(fields.map(({ key }) => key));
  return notifications.flatMap(({ when }, at) => conditionFaults(when, keys, ["notifications", at, "when"]));
}

function settingsFaults({ agent, fields, quote, settings }: FormContent): FormFault[] {
  const faults: FormFault[] = [];
  const { closes_at: closes, honeypot_field: trap, one_per: once, opens_at: opens } = settings;
  if (opens !== null && closes !== null && opens >= closes) {
    faults.push({ path: ["settings", "closes_at"], detail: "Must be after opens_at." });
  }
  if (fields.some(({ key }) => key === trap)) {
    faults.push({ path: ["settings", "honeypot_field"], detail: "This is already the key of a field." });
  }
  if (once === "email" && !fields.some(({ type }) => type === "email")) {
    faults.push({ path: ["settings", "one_per"], detail: "Requires an e-mail field." });
  }
  if (quote.enabled && settings.storage === "none") {
    faults.push({
      path: ["settings", "storage"],
      detail: "Quote requests must be stored: choose full or metadata.",
    });
  }
  if (settings.storage !== "full" && fields.some(({ type }) => type === "file")) {
    faults.push({
      path: ["settings", "storage"],
      detail: "Uploaded files must be stored: choose full, or remove the fields of type file.",
    });
  }
  if (agent.enabled && (agent.tool_name === null || agent.tool_description === null)) {
    faults.push({ path: ["agent"], detail: "A tool requires both tool_name and tool_description." });
  }
  return faults;
}
