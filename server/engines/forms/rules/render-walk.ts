import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { mapSteps } from "../../../lib/slices.ts";
import type { FormContent, Step } from "../schema.ts";
import type { Answers, Field } from "../schema/field.ts";
import { isDecoration, takesMany } from "../schema/field.ts";
import { fieldsOf, isEmpty } from "./condition.ts";
import type { FaultWords } from "./compile-field.ts";
import type { Rendering } from "./render-field.ts";
import { attribute, renderConsent, renderField } from "./render-field.ts";
import { renderTrap } from "./render-form.ts";
import type { OpenStep } from "./walk.ts";
import { REVIEW } from "./walk.ts";
import { showAnswer } from "./write-export.ts";

export interface StepPage extends Rendering {
  readonly words: FaultWords;
  /** URL of the submission; `steps` below it moves between the steps. */
  readonly action: string;
  readonly token: string;
  /** Key of the step to show, or REVIEW. */
  readonly page: string;
  readonly reviewed: boolean;
  /** The steps that are shown with these answers. */
  readonly steps: readonly OpenStep[];
  /** Answers that are accepted so far. */
  readonly data: Answers;
  /** Names of uploaded files by id. */
  readonly fileNames: ReadonlyMap<string, string>;
  /** Id and token of the saved submission that is continued. */
  readonly resume: string | null;
}

/**
 * One step of a form, or the review of all answers, with the answers of the others in hidden inputs: it works without script. Written a
 * field at a time, as a whole form is.
 */
export function* renderStep(content: FormContent, page: StepPage): Generator<undefined, Html> {
  const { action, prefix, resume, reviewed, steps, token, words } = page;
  const at = steps.findIndex(({ key }) => key === page.page);
  const step = steps[at];
  const fields = step?.shown ?? [];
  const hasFiles = fields.some(({ type }) => type === "file");
  const of = steps.length + 1;
  const place = step === undefined ? of : at + 1;
  const controls =
    step === undefined
      ? yield* mapSteps(steps, (one) => renderReview(one, page))
      : yield* mapSteps(fields, (field) => renderField(field, page, dependsOn(field, step)));
  return html`<form
    class="storefront-form"
    id="${prefix}"
    method="post"
    action="${action}"
    accept-charset="utf-8"
    ${attribute("enctype", hasFiles ? "multipart/form-data" : null)}
  >
    <p class="storefront-form-progress">
      <span>${words.say("form.progress", { at: place, of })}</span>
      <progress aria-hidden="true" value="${place}" max="${of}"></progress>
    </p>
    <h2>${step === undefined ? words.say("form.review") : step.title}</h2>
    ${controls} ${step === undefined ? content.consents.map((consent) => renderConsent(consent, page)) : null}
    ${carried(content, page, fields)}
    <input type="hidden" name="_token" value="${token}" />
    <input type="hidden" name="_step" value="${step?.key ?? REVIEW}" />
    ${reviewed || step === undefined ? html`<input type="hidden" name="_reviewed" value="1" />` : null}
    ${resume === null ? null : html`<input type="hidden" name="_resume" value="${resume}" />`}
    ${renderTrap(content, page)} ${renderButtons(content, page, { at, hasFiles })}
  </form>`;
}

/** Whether the browser cannot know if the field is required. */
const dependsOn = ({ visible_when: when }: Field, step: Step): boolean =>
  when !== undefined && fieldsOf(when).some((key) => step.fields.includes(key));

function renderButtons(
  content: FormContent,
  { action, words }: StepPage,
  { at, hasFiles }: { readonly at: number; readonly hasFiles: boolean },
): Html {
  // Steps are counted as reading, not as submissions; an upload is counted as a submission.
  const move = attribute("formaction", hasFiles ? null : `${action}/steps`);
  return html`<p class="storefront-form-buttons">
    ${
      at < 0
        ? html`<button name="_go" value="send">${words.say("form.send")}</button>`
        : html`<button name="_go" value="next" ${move}>${words.say("form.next")}</button>`
    }
    ${
      at === 0
        ? null
        : html`<button class="quiet" name="_go" value="back" formnovalidate ${move}>
            ${words.say("form.back")}
          </button>`
    }
    ${renderSave(content, words)}
  </p>`;
}

/** The button that stores the answers so far; null if the form does not accept that. */
export const renderSave = ({ settings }: FormContent, { say }: Rendering["words"]): Html | null =>
  settings.allow_partial && settings.storage === "full"
    ? html`<button class="quiet" name="_go" value="save" formnovalidate>${say("form.save")}</button>`
    : null;

/** The answers that the page does not show, as hidden inputs. */
function carried(content: FormContent, page: StepPage, shown: readonly Field[]): Html[] {
  const keys = new Set(shown.map(({ key }) => key));
  const others = content.fields.filter((field) => !keys.has(field.key) && !isDecoration(field));
  const uploads = shown.filter(({ type }) => type === "file");
  return [
    ...[...others, ...uploads].flatMap(({ key }) => hiddenInputs(key, page.values[key])),
    ...(page.page === REVIEW ? [] : hiddenInputs("consents", page.values["consents"])),
  ];
}

function hiddenInputs(name: string, value: unknown): Html[] {
  if (isEmpty(value)) return [];
  if (Array.isArray(value)) return value.flatMap((one) => hiddenInputs(name, one));
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value);
    // A file that was refused: the visitor chooses another one.
    if (parts.some(([, part]) => part instanceof Uint8Array)) return [];
    return parts.flatMap(([part, one]) => hiddenInputs(`${name}.${part}`, one));
  }
  return [html`<input type="hidden" name="${name}" value="${String(value)}" />`];
}

function renderReview(step: OpenStep, page: StepPage): Html {
  const { action, words } = page;
  return html`<section class="storefront-form-review">
    <h3>${step.title}</h3>
    <button
      class="quiet"
      name="_go"
      value="to.${step.key}"
      formnovalidate
      formaction="${action}/steps"
      aria-label="${words.say("form.change_of", { title: step.title })}"
    >
      ${words.say("form.change")}
    </button>
    <dl>
      ${step.shown
        .filter((field) => !isDecoration(field) && field.type !== "hidden")
        .map(
          (field) =>
            html`<dt>${field.label}</dt>
              <dd class="pre">${reviewed(field, page)}</dd>`,
        )}
    </dl>
  </section>`;
}

/** An answer in words: labels of options, amounts and dates of the language, names of files. */
function reviewed(field: Field, { data, fileNames, words }: StepPage): string {
  const answer = data[field.key];
  const { currency, options = [], type } = field;
  if (answer === undefined) return words.say("form.no_answer");
  if (typeof answer === "boolean") return words.say(answer ? "form.yes" : "form.no");
  if (type === "currency" && typeof answer === "number" && currency !== undefined)
    return words.money(answer, currency);
  if (type === "date" && typeof answer === "string") return words.date(answer);
  if (type === "file" && Array.isArray(answer)) return answer.map((id) => fileNames.get(id) ?? id).join(", ");
  const label = (value: string): string => options.find((one) => one.value === value)?.label ?? value;
  if (takesMany(field) && Array.isArray(answer)) return answer.map(label).join(", ");
  return typeof answer === "string" ? label(answer) : showAnswer(answer);
}
