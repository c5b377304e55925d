import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Refused, Shown } from "./shown.ts";
import { nameOf, namesIn, text } from "./view.ts";
import type { Action, ActionField, Asked, Row, View } from "./view.ts";

/** The buttons of a page for what its row can have done to it. */
export const actionForms = (shown: Shown, row: Row): Html =>
  html`${(shown.view.actions ?? [])
    .filter(({ route, when }) => (when?.(row) ?? true) && (shown.can?.(route) ?? true))
    .map((action) => (action.confirm === undefined ? actionForm(action, shown) : askLink(action, shown)))}`;

/** The way to the page that asks first; `ofRow`: parameters that the row has. */
export function askLink(action: Action, { view, asked }: Shown, ofRow: Asked = {}): Html {
  const about = Object.entries(ofRow).map(([name, value]) => [`param.${name}`, value]);
  const address = addressOf(view, { ...asked, act: action.route, ...Object.fromEntries(about) });
  return html`<p><a class="button quiet" href="${address}">${action.label}…</a></p>`;
}

/** Asks whether to do it, with what follows from it, and for what it needs to know. */
export const confirmBody = (shown: Shown & { readonly action: Action }, row: Row): Html => {
  const { action, view, asked, notice, ofRow = {} } = shown;
  const name = Object.values(ofRow).join(", ") || nameOf(row);
  return html`<h1>${action.label}</h1>
    <p class="lead">${view.title}: ${name}</p>
    ${notice ?? null}
    <p class="note bad">${action.confirm ?? ""}</p>
    ${actionForm(action, shown, ofRow)}
    <p><a href="${addressOf(view, asked)}">Cancel</a></p>`;
};

/** The form of an action, with its fields and what it is about. It is sent to the page itself. */
export function actionForm(
  action: Action,
  shown: Shown,
  /** Parameters that the row has and the page's address has not. */
  ofRow: Asked = {},
): Html {
  const { asked, session, view, refused } = shown;
  const trial = refused?.action === action ? refused : null;
  const isFinal = action.confirm !== undefined;
  return html`<form class="action" method="post" action="${addressOf(view, asked)}">
    <input type="hidden" name="csrf" value="${session.csrf}" />
    <input type="hidden" name="act" value="${action.route}" />
    ${isFinal && html`<input type="hidden" name="sure" value="yes" />`}
    ${Object.entries(ofRow).map(
      ([name, value]) => html`<input type="hidden" name="param.${name}" value="${value}" />`,
    )}
    ${(action.fields ?? []).map((field) => fieldOf(field, action.route, shown, trial))}
    <button class="${isFinal ? "final" : ""}">${action.label}</button>
  </form>`;
}

function fieldOf(field: ActionField, route: string, shown: Shown, trial: Refused | null): Html {
  const { name, label, type, options = [], isOptional } = field;
  const first = firstOf(field, shown);
  const current = trial === null ? first : (trial.sent[`body.${name}`] ?? "");
  const wrong = trial?.errors.find(({ pointer }) => pointer === `#/${name}`)?.detail;
  const id = `${route}.${name}.wrong`;
  const invalid = wrong !== undefined && html`aria-invalid="true" aria-describedby="${id}"`;
  const reason = wrong !== undefined && html`<span class="wrong" id="${id}">${wrong}</span>`;
  const need = isOptional !== true && html`required`;
  if (type === "checkbox") {
    return html`<label class="tick"
      ><input type="checkbox" name="body.${name}" value="true" ${current === "true" && html`checked`} />
      ${label}</label
    >`;
  }
  const control =
    type === "select"
      ? html`<select name="body.${name}" ${invalid}>
          ${(options === "plans" ? (shown.plans ?? []) : options).map((option) => choice(option, current))}
        </select>`
      : html`<input type="${type}" name="body.${name}" value="${current}" ${need} ${invalid} />`;
  return html`<label>${label} ${control} ${reason}</label>`;
}

function firstOf({ value = "" }: ActionField, { asked, row = {} }: Shown): string {
  if (value.startsWith(".")) return text(row, value.slice(1));
  return value.startsWith(":") ? (asked[value.slice(1)] ?? "") : value;
}

/** An option of a list, chosen or not. */
export const choice = (option: string, chosen: string | undefined): Html =>
  option === chosen ? html`<option selected>${option}</option>` : html`<option>${option}</option>`;

/** Parameters of an action by the address of its page. */
export const paramsOf = ({ params = {}, fields = [] }: Action, asked: Asked): Record<string, string> => {
  const renamed = new Map(Object.entries(params).map(([theirs, ours]) => [ours, theirs]));
  const own = new Set(fields.map(({ value = "" }) => value.replace(/^:/, "")));
  const sent = Object.entries(asked).filter(([name]) => !own.has(name));
  const ownNames = sent.filter(([name]) => !renamed.has(name));
  const newNames = sent.filter(([name]) => renamed.has(name));
  return {
    ...Object.fromEntries(ownNames),
    // Last: what the page is about outweighs what a link to it adds to the query under the same name.
    ...Object.fromEntries(newNames.map(([name, value]) => [renamed.get(name) ?? name, value])),
  };
};

/** The page again, as it was asked for. */
export function addressOf({ path }: View, asked: Asked): string {
  const rest = Object.entries(asked).filter(([name]) => !namesIn(path).includes(name));
  const page = `/_/${fill(path, asked)}`;
  return rest.length === 0 ? page : `${page}?${query(Object.fromEntries(rest))}`;
}

const fill = (path: string, params: Asked): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

/** Members as a query. */
export const query = (members: Asked): string => new URLSearchParams(members).toString();
