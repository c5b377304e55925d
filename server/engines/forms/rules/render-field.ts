import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Words } from "../../../core/words.ts";
import type { Consent } from "../schema.ts";
import type { Answer, Field } from "../schema/field.ts";
import { takesMany } from "../schema/field.ts";
import type { Fault } from "../schema/submission.ts";
import { isEmpty } from "./condition.ts";
import { majorUnits } from "./normalise.ts";
import { showAnswer } from "./write-export.ts";

/** What the controls of a form are rendered with. */
export interface Rendering {
  /** Labels of its own that it has in addition to those of the form. */
  readonly words: Pick<Words, "say">;
  /** Prefix of element ids: a page may contain two forms. */
  readonly prefix: string;
  /** Previously entered values, by field. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** ` name="value"`, or nothing. */
export const attribute = (name: string, value: string | number | null | undefined): Html | null =>
  value === null || value === undefined ? null : { html: html` ${name}="${value}"`.html };

/** A field with its label, help and fault. `isConditional`: the browser must not require it. */
export function renderField(field: Field, rendering: Rendering, isConditional: boolean): Html {
  if (field.type === "heading") return html`<h2>${field.label}</h2>`;
  if (field.type === "html") return html`<p>${field.help ?? field.label}</p>`;
  if (field.type === "hidden") return hiddenInput(field, rendering);
  const id = `${rendering.prefix}-${field.key}`;
  const fault = rendering.faults.find((one) => one.field === field.key);
  const value = valueOf(field, rendering);
  const isUploaded = field.type === "file" && !isEmpty(value);
  const isRequired = field.required && !isConditional && !isUploaded;
  const control: Control = { field, id, isRequired, value, fault, words: rendering.words };
  const when = field.visible_when === undefined ? null : JSON.stringify(field.visible_when);
  return html`<div
    class="storefront-form-field"
    data-field="${field.key}"
    ${attribute("data-visible-when", when)}
  >
    ${isGroup(field) ? group(control) : single(control)} ${note(`${id}-help`, field.help)}
    ${
      fault === undefined
        ? null
        : html`<p class="storefront-form-fault" id="${id}-fault" role="alert">${fault.message}</p>`
    }
  </div>`;
}

interface Control {
  readonly field: Field;
  readonly id: string;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly fault: Fault | undefined;
  readonly words: Rendering["words"];
}

const valueOf = (field: Field, { values }: Rendering): unknown => {
  const { default: standard, key } = field;
  if (Object.hasOwn(values, key)) return values[key];
  return standard === undefined ? undefined : typedAnswer(field, standard);
};

/** An answer as a person would type it: amounts in major units. */
export const typedAnswer = ({ currency, type }: Field, answer: Answer): Answer =>
  type === "currency" && typeof answer === "number" ? majorUnits(answer, currency) : answer;

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? showAnswer(value)
    : "";

const note = (id: string, help: string | undefined): Html | null =>
  help === undefined ? null : html`<p class="storefront-form-help" id="${id}">${help}</p>`;

const hiddenInput = (field: Field, rendering: Rendering): Html =>
  html`<input type="hidden" name="${field.key}" value="${textOf(valueOf(field, rendering))}" />`;

/** Several controls with one label. */
const isGroup = (field: Field): boolean =>
  field.type === "radio" || field.type === "address" || (field.type === "checkbox" && takesMany(field));

const isTick = ({ options, type }: Field): boolean =>
  type === "boolean" || type === "consent" || (type === "checkbox" && options === undefined);

function single(control: Control): Html {
  const { field, id, isRequired, value } = control;
  if (isTick(field)) {
    return html`<label for="${id}"
      ><input
        id="${id}"
        name="${field.key}"
        type="checkbox"
        value="true"
        ${value === true || value === "true" ? html` checked` : null}${common(control)}
      />
      ${field.label}${mark(isRequired)}</label
    >`;
  }
  return html`<label for="${id}">${field.label}${mark(isRequired)}</label> ${input(control)}`;
}

const mark = (isRequired: boolean): Html | null =>
  isRequired ? html` <span aria-hidden="true">*</span>` : null;

/** Of several checkboxes none can be required, so that those who hear the form learn it from the legend. */
const spokenMark = ({ isRequired, words }: Control): Html | null =>
  isRequired ? html` <span role="img" aria-label="${words.say("form.required")}">*</span>` : null;

/** Attributes of every control: description, required, agent description. */
function common(control: Control): Html {
  const { field, isRequired } = control;
  return html`${isRequired ? html` required` : null}${described(control)}${attribute(
    "toolparamdescription",
    field.agent_description,
  )}${attribute("autocomplete", field.autocomplete ?? AUTOCOMPLETE[field.type])}`;
}

/** The help and the fault of a field, for those who hear its controls. */
function described({ fault, field, id }: Pick<Control, "fault" | "field" | "id">): Html {
  const ids = [
    ...(field.help === undefined ? [] : [`${id}-help`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  return html`${attribute("aria-describedby", ids.length === 0 ? null : ids.join(" "))}${
    fault === undefined ? null : html` aria-invalid="true"`
  }`;
}

const AUTOCOMPLETE: Readonly<Partial<Record<Field["type"], string>>> = {
  email: "email",
  phone: "tel",
  name: "name",
};

const INPUT_TYPES: Readonly<Partial<Record<Field["type"], string>>> = {
  email: "email",
  phone: "tel",
  url: "url",
  number: "number",
  integer: "number",
  currency: "number",
  rating: "number",
  scale: "number",
  date: "date",
  time: "time",
  datetime: "datetime-local",
  file: "file",
};

function input(control: Control): Html {
  const { field, id, value } = control;
  const name = field.key;
  if (field.type === "textarea") {
    return html`<textarea
      id="${id}"
      name="${name}"
      rows="6"
      ${attribute("maxlength", field.max_length)}${attribute(
        "placeholder",
        field.placeholder,
      )}${common(control)}
    >
${textOf(value)}</textarea>`;
  }
  if (field.type === "select" || field.type === "multiselect") return select(control);
  const type = INPUT_TYPES[field.type] ?? "text";
  const accept = field.type === "file" ? acceptOf(field) : null;
  return html`<input
    id="${id}"
    name="${name}"
    type="${type}"
    ${attribute("value", field.type === "file" ? null : textOf(value) || null)}${attribute(
      "placeholder",
      field.placeholder,
    )}${bounds(field)}${attribute("accept", accept)}${
      field.type === "file" && (field.max_files ?? 1) > 1 ? html` multiple` : null
    }${common(control)}
  />`;
}

/** Bounds that the browser checks as well; money is entered in major units. */
function bounds(field: Field): Html | null {
  if (field.type === "currency") return html` min="0" step="any" inputmode="decimal"`;
  const [min, max] =
    field.type === "rating" ? [1, 5] : field.type === "scale" ? [0, 10] : [undefined, undefined];
  const step = field.step ?? (field.type === "number" ? "any" : undefined);
  return html`${attribute("min", firstStep(field.min ?? min, field.step))}${attribute("max", field.max ?? max)}${attribute(
    "step",
    step,
  )}${attribute("minlength", field.min_length)}${attribute("maxlength", field.max_length)}`;
}

/** A browser counts steps from the minimum, and an answer has to be a multiple: with 1 and steps of 2 there was no number for both. */
function firstStep(min: Field["min"], step: number | undefined): Field["min"] {
  if (typeof min !== "number" || step === undefined) return min;
  const steps = Math.ceil(Number((min / step).toPrecision(12)));
  return Number((steps * step).toPrecision(12));
}

const acceptOf = ({ accept }: Field): string =>
  (accept ?? ["png", "jpg", "webp", "gif", "heic", "pdf", "docx", "xlsx", "csv", "txt"])
    .map((kind) => `.${kind}`)
    .join(",");

const isChosen = (value: unknown, option: string): boolean =>
  Array.isArray(value) ? value.includes(option) : value === option;

function select(control: Control): Html {
  const { field, id, value, words } = control;
  return html`<select
    id="${id}"
    name="${field.key}"
    ${takesMany(field) ? html` multiple` : null}${common(control)}
  >
    ${takesMany(field) ? null : html`<option value="">${field.placeholder ?? words.say("form.choose")}</option>`}
    ${(field.options ?? []).map(
      (option) =>
        html`<option value="${option.value}" ${isChosen(value, option.value) ? html` selected` : null}>
          ${option.label}
        </option>`,
    )}
  </select>`;
}

function group(control: Control): Html {
  const { field, id, isRequired } = control;
  const parts =
    field.type === "address"
      ? ADDRESS.map((part) => addressPart(control, part))
      : (field.options ?? []).map((option, at) => choice(control, option, at));
  return html`<fieldset id="${id}">
    <legend>${field.label}${field.type === "checkbox" ? spokenMark(control) : mark(isRequired)}</legend>
    ${parts}
  </fieldset>`;
}

function choice(control: Control, option: { value: string; label: string }, at: number): Html {
  const { field, id, isRequired, value } = control;
  const isRadio = field.type === "radio";
  // A browser cannot require one of several checkboxes: only radio buttons can be required.
  const own = common({ ...control, isRequired: isRadio && isRequired });
  return html`<label for="${id}-${at}"
    ><input
      id="${id}-${at}"
      name="${field.key}"
      type="${isRadio ? "radio" : "checkbox"}"
      value="${option.value}"
      ${isChosen(value, option.value) ? html` checked` : null}${own}
    />
    ${option.label}</label
  >`;
}

const ADDRESS = [
  { name: "line1", autocomplete: "address-line1" },
  { name: "line2", autocomplete: "address-line2" },
  { name: "city", autocomplete: "address-level2" },
  { name: "postcode", autocomplete: "postal-code" },
] as const;

function addressPart(control: Control, { autocomplete, name }: (typeof ADDRESS)[number]): Html {
  const { field, id, isRequired, value, words } = control;
  const typed =
    typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  return html`<label for="${id}-${name}">${words.say(`form.${name}`)}</label>
    <input
      id="${id}-${name}"
      name="${field.key}.${name}"
      type="text"
      autocomplete="${autocomplete}"
      ${attribute("value", textOf(typed) || null)}${isRequired && name !== "line2" ? html` required` : null}${described(control)}
    />`;
}

/** A consent with its checkbox. */
export function renderConsent(consent: Consent, { faults, prefix, values }: Rendering): Html {
  const id = `${prefix}-consent-${consent.key}`;
  const accepted = values["consents"];
  const fault = faults.find(({ field }) => field === consent.key);
  return html`<div class="storefront-form-field">
    <label for="${id}"
      ><input
        id="${id}"
        name="consents"
        type="checkbox"
        value="${consent.key}"
        ${isChosen(accepted, consent.key) ? html` checked` : null}${consent.required ? html` required` : null}${
          fault === undefined ? null : html` aria-describedby="${id}-fault" aria-invalid="true"`
        }
      />
      ${consent.text}</label
    >
    ${fault === undefined ? null : html`<p class="storefront-form-fault" id="${id}-fault" role="alert">${fault.message}</p>`}
  </div>`;
}
