import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { renderPage } from "../../core/page.ts";
import type { Reply } from "../../core/reply.ts";
import type { Session } from "../../operations/console-session.ts";
import { actionForm, actionForms, addressOf, askLink, choice, query } from "./action-form.ts";
import type { Shown } from "./shown.ts";
import { NO_NAMES, named } from "./names.ts";
import { nameOf, namesIn, text } from "./view.ts";
import type { Asked, Column, Row, View } from "./view.ts";
import { members, table } from "./table.ts";
import { VIEWS } from "./views.ts";

export interface Frame {
  readonly title: string;
  readonly body: Html;
  /** Null before the login. */
  readonly session: Session | null;
  readonly status?: number;
  readonly scripts?: readonly string[];
  /** What was searched for. */
  readonly query?: string;
  /** Further directives of its Content-Security-Policy. */
  readonly policy?: string;
}

/** A page of the console under its navigation. */
export const frame = ({ title, body, session, query: q = "", ...more }: Frame): Reply<never> =>
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
            <form method="post" action="/_/search" role="search">
              <input type="hidden" name="csrf" value="${session.csrf}" />
              <input
                type="search"
                name="q"
                value="${q}"
                maxlength="200"
                aria-label="Search"
                placeholder="Name, id or key"
                autocomplete="off"
              />
            </form>
            <form method="post" action="/_/logout">
              <input type="hidden" name="csrf" value="${session.csrf}" /><button class="plain">
                Log out ${session.actor} (${session.role})
              </button>
            </form>
          </nav>`
        }
      </header>
      <main class="console">${body}</main>`,
  });

export const listBody = (
  shown: Shown,
  { rows, next }: { readonly rows: readonly Row[]; readonly next: string | null },
): Html => {
  const { view, asked, notice = null, names = NO_NAMES } = shown;
  return html`${heading(view, shown, {})} ${notice} ${filterForm(view, asked)}
  ${view.picture?.(rows, names) ?? null}
  ${
    rows.length === 0
      ? html`<p role="status">
          ${isNarrowed(view, asked) ? "No results for these filters." : (view.empty ?? "Nothing here yet.")}
        </p>`
      : table(columnsOf(shown), rows, { asked, isLive: view.live === true, names })
  }
  ${
    next !== null &&
    html`<p><a class="button" rel="next" href="?${query({ ...asked, cursor: next })}">Next page</a></p>`
  }
  ${related(shown, {})} ${actionForms(shown, {})}`;
};

export const itemBody = (shown: Shown, row: Row): Html =>
  html`${heading(shown.view, shown, row)} ${shown.notice ?? null}
  ${shown.view.shape?.(row) ?? members(row, shown.names)} ${related(shown, row)} ${actionForms(shown, row)}`;

const isNarrowed = ({ path }: View, asked: Asked): boolean =>
  Object.keys(asked).some((name) => !path.includes(`:${name}`));

/** A list is also labelled with its subject; a single thing by its name. */
const heading = (
  { title, about, path, columns }: View,
  { asked, names = NO_NAMES }: Shown,
  row: Row,
): Html => {
  const of = namesIn(path).map((name) => asked[name] ?? "");
  const name = columns === undefined && of.length > 0 ? nameOf(row) : "";
  return html`<h1>${name === "" ? title : `${title}: ${name}`}</h1>
    ${columns !== undefined && of.map((id) => html`<p class="soft">${named(id, names)}</p>`)}
    ${about !== undefined && html`<p class="soft">${about}</p>`}`;
};

function filterForm(view: View, asked: Asked): Html | null {
  const { path, filters = [] } = view;
  const params = Object.fromEntries(namesIn(path).map((name) => [name, asked[name] ?? ""]));
  if (filters.length === 0) return null;
  const named = new Set([...filters.map(({ name }) => name), "cursor"]);
  const kept = Object.entries(asked).filter(([name]) => !named.has(name) && !path.includes(`:${name}`));
  return html`<form class="filters" action="${addressOf(view, params)}">
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

function related({ view, asked }: Shown, row: Row): Html | null {
  const links = view.related?.(row, asked) ?? [];
  return links.length === 0
    ? null
    : html`<p class="related">${links.map(({ href, label }) => html`<a href="${href}">${label}</a> `)}</p>`;
}

/** The columns, and the button of each row where there is one. */
function columnsOf(shown: Shown): readonly Column[] {
  const { columns = [], rowAction } = shown.view;
  if (rowAction === undefined || shown.can?.(rowAction.route) === false) return columns;
  const renamed = Object.entries(rowAction.params ?? {});
  const button = (row: Row): Html => {
    const named = Object.fromEntries(renamed.map(([theirs, member]) => [theirs, text(row, member)]));
    return rowAction.confirm === undefined
      ? actionForm(rowAction, shown, named)
      : askLink(rowAction, shown, named);
  };
  return [...columns, { title: rowAction.label, of: button }];
}
