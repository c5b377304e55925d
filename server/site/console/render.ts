import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { renderPage } from "../../core/page.ts";
import type { Reply } from "../../core/route.ts";
import type { Session } from "../../operations/console-session.ts";
import { namesIn, text } from "./view.ts";
import type { Action, ActionField, Asked, Column, Row, View } from "./view.ts";
import { table, valueOf } from "./table.ts";
import { VIEWS } from "./views.ts";

export interface Frame {
  readonly title: string;
  readonly body: Html;
  /** Null before the login. */
  readonly session: Session | null;
  readonly status?: number;
  readonly scripts?: readonly string[];
}

/** A page of the console under its navigation. */
export const frame = ({ title, body, session, ...more }: Frame): Reply<never> =>
  renderPage({
    ...more,
    title: `${title} · Operator console`,
    body: html`<header>
        <a class="brand" href="/_">Operator console</a>
        ${
          session !== null &&
          html`<nav aria-label="Console">
            ${VIEWS.filter(({ isMain }) => isMain).map(
              ({ path, title: name }) =>
                html`<a href="/_/${path}" ${name === title && html`aria-current="page"`}>${name}</a> `,
            )}
            <form method="post" action="/_/logout">
              <input type="hidden" name="csrf" value="${session.csrf}" /><button class="plain">
                Log out
              </button>
            </form>
          </nav>`
        }
      </header>
      <main class="console">${body}</main>`,
  });

export interface Shown {
  readonly view: View;
  /** Parameters of the path and of the query, as they were sent. */
  readonly asked: Asked;
  readonly session: Session;
}

export const listBody = (
  { view, asked, session }: Shown,
  { rows, next }: { readonly rows: readonly Row[]; readonly next: string | null },
): Html =>
  html`${heading(view, asked)} ${filterForm(view, asked)} ${view.picture?.(rows) ?? null}
  ${
    rows.length === 0
      ? html`<p role="status">
          ${isNarrowed(view, asked) ? "No results for these filters." : "Nothing here yet."}
        </p>`
      : table(columnsOf({ view, asked, session }), rows, { asked, isLive: view.live === true })
  }
  ${
    next !== null &&
    html`<p><a class="button" rel="next" href="?${query({ ...asked, cursor: next })}">Next page</a></p>`
  }
  ${related({ view, asked, session }, {})} ${actions({ view, asked, session }, {})}`;

export const itemBody = (shown: Shown, row: Row): Html =>
  html`${heading(shown.view, shown.asked)} ${shown.view.shape?.(row) ?? members(row)} ${related(shown, row)}
  ${actions(shown, row)}`;

const isNarrowed = ({ path }: View, asked: Asked): boolean =>
  Object.keys(asked).some((name) => !path.includes(`:${name}`));

/** A list is also labelled with its subject; a single thing names itself. */
const heading = ({ title, about, path, columns }: View, asked: Asked): Html =>
  html`<h1>${title}</h1>
    ${columns !== undefined && namesIn(path).map((name) => html`<p class="soft"><code>${asked[name] ?? ""}</code></p>`)}
    ${about !== undefined && html`<p class="soft">${about}</p>`}`;

function filterForm({ path, filters = [] }: View, asked: Asked): Html | null {
  if (filters.length === 0) return null;
  const named = new Set([...filters.map(({ name }) => name), "cursor"]);
  const kept = Object.entries(asked).filter(([name]) => !named.has(name) && !path.includes(`:${name}`));
  return html`<form class="filters" action="/_/${fill(path, asked)}">
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${filters.map(
      ({ name, label, options }) =>
        html`<label
          >${label}
          ${
            options === undefined
              ? html`<input name="${name}" value="${asked[name] ?? ""}" maxlength="300" />`
              : html`<select name="${name}">
                  <option value="">any</option>
                  ${options.map((option) => choice(option, asked[name]))}
                </select>`
          }</label
        >`,
    )}
    <button>Search</button>
  </form>`;
}

const choice = (option: string, chosen: string | undefined): Html =>
  option === chosen ? html`<option selected>${option}</option>` : html`<option>${option}</option>`;

/** Every member of a thing by its own name: what the API says is what is shown. */
const members = (row: Row): Html =>
  html`<dl class="members">
    ${Object.entries(row).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${valueOf(value)}</dd>`,
    )}
  </dl>`;

function related({ view, asked }: Shown, row: Row): Html | null {
  const links = view.related?.(row, asked) ?? [];
  return links.length === 0
    ? null
    : html`<p>${links.map(({ href, label }) => html`<a href="${href}">${label}</a> `)}</p>`;
}

/** The columns, and the button of each row where there is one. */
function columnsOf(shown: Shown): readonly Column[] {
  const { columns = [], rowAction } = shown.view;
  if (rowAction === undefined) return columns;
  const renamed = Object.entries(rowAction.params ?? {});
  const button = (row: Row): Html => {
    const named = Object.fromEntries(renamed.map(([theirs, member]) => [theirs, text(row, member)]));
    const { params: _, ...action } = rowAction;
    return actionForm(action, { ...shown, asked: { ...shown.asked, ...named } });
  };
  return [...columns, { title: rowAction.label, of: button }];
}

const actions = ({ view, asked, session }: Shown, row: Row): Html =>
  html`${(view.actions ?? [])
    .filter(({ when }) => when === undefined || when(row))
    .map((action) => actionForm(action, { view, asked, session }))}`;

function actionForm(action: Action, { asked, session, view }: Shown): Html {
  return html`<form class="action" method="post" action="/_/do/${action.route}">
    <input type="hidden" name="csrf" value="${session.csrf}" />
    <input type="hidden" name="back" value="${addressOf(view, asked)}" />
    ${Object.entries(paramsOf(action, asked)).map(
      ([name, value]) => html`<input type="hidden" name="param.${name}" value="${value}" />`,
    )}
    ${(action.fields ?? []).map((field) => fieldOf(field, asked))}
    ${
      action.isFinal === true &&
      html`<label class="tick"
        ><input type="checkbox" name="sure" value="yes" required /> This cannot be undone</label
      >`
    }
    <button class="${action.isFinal === true ? "final" : ""}">${action.label}</button>
  </form>`;
}

function fieldOf(
  { name, label, type, options = [], value = "", isOptional }: ActionField,
  asked: Shown["asked"],
): Html {
  const given = value.startsWith(":") ? (asked[value.slice(1)] ?? "") : value;
  const need = isOptional !== true && html` required`;
  if (type === "checkbox") {
    return html`<label class="tick"
      ><input type="checkbox" name="body.${name}" value="true" ${value === "true" && html`checked`} />
      ${label}</label
    >`;
  }
  if (type === "select") {
    return html`<label
      >${label}
      <select name="body.${name}">
        ${options.map((option) => html`<option>${option}</option>`)}
      </select></label
    >`;
  }
  return html`<label>${label} <input type="${type}" name="body.${name}" value="${given}" ${need} /></label>`;
}

const paramsOf = ({ params = {}, fields = [] }: Action, asked: Shown["asked"]): Record<string, string> => {
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
function addressOf({ path }: View, asked: Asked): string {
  const rest = Object.entries(asked).filter(([name]) => !path.includes(`:${name}`));
  const page = `/_/${fill(path, asked)}`;
  return rest.length === 0 ? page : `${page}?${query(Object.fromEntries(rest))}`;
}

const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const query = (members: Readonly<Record<string, string>>): string => new URLSearchParams(members).toString();
