import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { mapSteps } from "../../../lib/slices.ts";
import type { FormContent, Step } from "../schema.ts";
import type { Field } from "../schema/field.ts";
import type { Rendering } from "./render-field.ts";
import { attribute, renderConsent, renderField } from "./render-field.ts";

interface Whole extends Rendering {
  /** URL of the submission. */
  readonly action: string;
  /** New form token; null if the page is cached for longer than a token is valid. */
  readonly token: string | null;
  /** Further buttons. */
  readonly buttons?: Html;
}

/**
 * A whole form as HTML that works without script: labels, help, the honeypot, and optionally the attributes with which
 * an agent in the browser finds it as a tool (WebMCP). Either both `toolname` and `tooldescription` are present, or
 * neither. Steps are sections one below the other; the embed script shows them one at a time. Written a field at a time: a form with
 * thousands of options takes 90 ms, and anyone can request several at once.
 */
export function* renderForm(content: FormContent, rendering: Whole): Generator<undefined, Html> {
  const { action, buttons = null, prefix, token, words } = rendering;
  const conditional = conditionalKeys(content);
  const hasFiles = content.fields.some(({ type }) => type === "file");
  const rendered = yield* mapSteps(content.fields, (field) => ({
    key: field.key,
    control: renderField(field, rendering, conditional.has(field.key)),
  }));
  const fields = (keys: readonly string[]): readonly Html[] =>
    rendered.filter(({ key }) => keys.includes(key)).map(({ control }) => control);
  const section = (step: Step): Html =>
    html`<section class="storefront-form-step" data-step="${step.key}">
      <h2 tabindex="-1">${step.title}</h2>
      ${fields(step.fields)}
    </section>`;
  return html`<form
    class="storefront-form"
    id="${prefix}"
    method="post"
    action="${action}"
    accept-charset="utf-8"
    dir="auto"
    ${attribute("lang", content.locales[0] ?? null)}${attribute("enctype", hasFiles ? "multipart/form-data" : null)}${toolAttributes(content)}
  >
    ${content.steps.length > 0 ? content.steps.map(section) : fields(content.fields.map(({ key }) => key))}
    <div class="storefront-form-end">
      ${content.consents.map((consent) => renderConsent(consent, rendering))}
    </div>
    ${token === null ? null : html`<input type="hidden" name="_token" value="${token}" />`}
    ${renderTrap(content, rendering)}
    <p class="storefront-form-status" role="status"></p>
    <button type="submit">${words.say("form.send")}</button>
    ${buttons}
  </form>`;
}

/** The honeypot: a field that people do not see. */
export const renderTrap = ({ settings }: FormContent, { prefix, words }: Rendering): Html =>
  html`<div class="storefront-form-trap" hidden aria-hidden="true">
    <label for="${prefix}-${settings.honeypot_field}">${words.say("trap")}</label>
    <input
      id="${prefix}-${settings.honeypot_field}"
      name="${settings.honeypot_field}"
      type="text"
      tabindex="-1"
      autocomplete="off"
    />
  </div>`;

/** Conditional fields: without script all of them are shown, so the browser must not require them. */
const conditionalKeys = ({ fields, steps }: FormContent): ReadonlySet<string> =>
  new Set([
    ...fields.filter((field) => field.visible_when !== undefined).map(({ key }) => key),
    ...steps.flatMap((step) => (step.visible_when === undefined ? [] : step.fields)),
  ]);

function toolAttributes({ agent }: FormContent): Html | null {
  const { autosubmit, enabled, tool_description: text, tool_name: name } = agent;
  if (!enabled || name === null || text === null) return null;
  return html`${attribute("toolname", name)}${attribute("tooldescription", text)}${
    autosubmit ? html` toolautosubmit` : null
  }`;
}

/** Fields named `delivery.line1` of a page without script, as an object. */
export function gatherParts(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const [key = "", part, ...more] = name.split(".");
    if (part === undefined || more.length > 0) answers[name] = value;
    else {
      const before = answers[key];
      answers[key] = { ...(typeof before === "object" ? before : {}), [part]: value };
    }
  }
  return answers;
}

/** Fields that an address cannot fill in; a consent must be given by the visitor. */
const NEVER_PREFILLED: readonly Field["type"][] = ["address", "consent", "file"];

/** Answers out of the parameters of the address of a page; an empty one leaves the default. */
export function prefilled(
  fields: readonly Field[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values = new Map(Object.entries(given));
  return Object.fromEntries(
    fields
      .filter(({ type }) => !NEVER_PREFILLED.includes(type))
      .flatMap(({ key, prefill_param: name = "" }) => (values.get(name) ? [[key, values.get(name)]] : [])),
  );
}
