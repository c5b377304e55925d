import { z } from "zod";

import { ERRORS, fail, Problem } from "../../lib/errors.ts";
import { hasRole } from "../../core/operator-role.ts";
import type { Reply } from "../../core/reply.ts";
import type { Route } from "../../core/route.ts";
import { leaveNotice, takeNotice } from "../../operations/console-session.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { assetUrl } from "../pages/assets.ts";
import { addressOf, confirmBody, paramsOf } from "./action-form.ts";
import { callAdmin, readReply } from "./call-admin.ts";
import { assertGenuine, base, behindLogin, Form, get, given, goTo } from "./guard.ts";
import type { Find } from "./home.ts";
import { readNames } from "./names.ts";
import { frame, itemBody, listBody } from "./render.ts";
import type { Refused, Shown } from "./shown.ts";
import { namesIn, text } from "./view.ts";
import type { Action, Asked, View, Row } from "./view.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";

/** The page of a view, and where its buttons send their forms. */
export const viewRoutes = (view: View, find: Find): readonly Route[] =>
  actionsOf(view).length === 0 ? [showRoute(view, find)] : [showRoute(view, find), actRoute(view, find)];

const idOf = ({ path }: View): string => `pages.console-${path.replaceAll(/[/:_]+/g, "-")}`;
const addressed = (view: View) => ({
  path: `/_/${view.path}` as const,
  params: z.object(Object.fromEntries(namesIn(view.path).map((name) => [name, z.string()]))),
  query: z.looseObject({}),
  example: { params: Object.fromEntries(namesIn(view.path).map((name) => [name, "x"])) },
});

const actionsOf = ({ actions = [], rowAction }: View): readonly Action[] =>
  rowAction === undefined ? actions : [...actions, rowAction];

const showRoute = (view: View, find: Find): Route =>
  defineOperationsRoute({
    ...get,
    ...addressed(view),
    id: `${idOf(view)}.get`,
    summary: view.title,
    handle: ({ params, query }, ctx) =>
      behindLogin(ctx, async (session) => {
        const { act, ...rest } = readAsked(query, params);
        const ofRow = under(rest, "param.");
        const asked = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith("param.")));
        const action = actionsOf(view).find(({ route }) => route === act);
        const notice = storedNotice(await takeNotice(ctx));
        const shown = { view, asked, session, notice, ofRow };
        return show(find, ctx, action === undefined ? shown : { ...shown, action });
      }),
  });

/** Does what a button says: only what its page offers, only from the session's own pages. */
const actRoute = (view: View, find: Find): Route =>
  defineOperationsRoute({
    ...base,
    ...addressed(view),
    id: `${idOf(view)}.post`,
    method: "POST",
    summary: `Act on: ${view.title}`,
    body: Form,
    form: true,
    example: { ...addressed(view).example, body: {} },
    handle: ({ params, query, body }, ctx) =>
      behindLogin(ctx, async (session) => {
        assertGenuine(session, body);
        const asked = readAsked(query, params);
        const action = actionsOf(view).find(({ route }) => route === body["act"]);
        if (action === undefined) throw fail("not_found", "This page has no such action.");
        const shown = { view, asked, session, ofRow: under(body, "param.") };
        if (action.confirm !== undefined && body["sure"] !== "yes") {
          return show(find, ctx, { ...shown, action, refused: { action, sent: body, errors: [] } });
        }
        return act(find, ctx, { ...shown, action }, body);
      }),
  });

async function act(
  find: Find,
  ctx: OperationsCtx,
  shown: Shown & { readonly action: Action },
  body: Readonly<Record<string, string>>,
): Promise<Reply<never>> {
  const { action, view, asked, session } = shown;
  const route = find(action.route);
  const ofRow = action === view.rowAction ? under(body, "param.") : {};
  const params = { ...paramsOf(action, asked), ...ofRow };
  try {
    const sent = { params, query: params, body: under(body, "body.") };
    const [row = {}] = readReply(await callAdmin(route, ctx, session, sent)).rows;
    const notice = doneNotice(action, row);
    // A secret is in this one answer and nowhere else: it is not stored for the page after.
    if (route.sensitive) return await show(find, ctx, { view, asked, session, notice });
    await leaveNotice(ctx, notice.html);
    return goTo(action.next ?? addressOf(view, asked));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const refused: Refused = { action, sent: body, errors: error.options.errors ?? [] };
    return show(
      find,
      ctx,
      {
        ...shown,
        ...(action.confirm === undefined ? { action: undefined } : {}),
        refused,
        notice: refusedNotice(action, error),
      },
      ERRORS[error.type].status,
    );
  }
}

/** The page as it is now. */
async function show(find: Find, ctx: OperationsCtx, shown: Shown, status = 200): Promise<Reply<never>> {
  const { view, asked, session, action } = shown;
  const sent = { params: asked, query: asked, body: {} };
  const { rows, next } = readReply(await callAdmin(find(view.route), ctx, session, sent));
  const [row = {}] = rows;
  const can = (id: string): boolean => hasRole(session.role, find(id).role);
  const plans = ctx.deps.config.plans.map(({ id }) => id);
  const named = { ...shown, can, plans, row, names: await readNames(ctx, [rows, asked]) };
  const draw = (): ReturnType<typeof itemBody> => {
    if (action !== undefined) return confirmBody({ ...named, action }, row);
    return view.columns === undefined ? itemBody(named, row) : listBody(named, { rows, next });
  };
  return frame({
    title: view.title,
    body: draw(),
    session,
    status,
    ...(view.frames === true ? { policy: "form-action 'self'; frame-src 'self'" } : {}),
    scripts: await Promise.all(scriptsOf(shown).map(assetUrl)),
  });
}

const scriptsOf = ({ view, notice }: Shown): string[] => [
  ...(view.live === true ? ["console.js"] : []),
  ...(notice?.html.includes("data-copy") === true ? ["copy.js"] : []),
];

const readAsked = (query: Readonly<Record<string, unknown>>, params: Asked): Record<string, string> => ({
  ...given(query),
  ...given(params),
});

const under = (body: Readonly<Record<string, string>>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );

/** What came of an action, above its page; with the secret that it shows once. */
const doneNotice = ({ label, done }: Action, row: Row): Html =>
  html`<div class="note good" role="status"><p>${done?.(row) ?? `${label}: done.`}</p></div>
    ${secretOf(row)}`;

/** A notice that an earlier request left for this page. */
const storedNotice = (stored: string | null): Html | null => (stored === null ? null : { html: stored });

/** Why an action was refused: in one sentence, then field by field where no field of the form shows it. */
function refusedNotice({ label, fields = [] }: Action, { detail, options }: Problem): Html {
  const own = new Set(fields.map(({ name }) => `#/${name}`));
  const others = (options.errors ?? []).filter(({ pointer = "" }) => !own.has(pointer));
  return html`<div class="note bad" role="alert">
    <p><strong>${label}: not done.</strong> ${detail}</p>
    ${
      others.length > 0 &&
      html`<ul>
        ${others.map(
          ({ pointer = "", parameter = "", detail: why }) =>
            html`<li><code>${pointer}${parameter}</code> ${why}</li>`,
        )}
      </ul>`
    }
  </div>`;
}

const SECRETS = ["api_key", "secret", "verification_url", "token"];

/** What is shown this once. */
function secretOf(row: Row): Html | null {
  const secret = SECRETS.map((name) => text(row, name)).find((value) => value !== "");
  if (secret === undefined) return null;
  return html`<p>Copy it now: it is not stored and cannot be shown again.</p>
    <code class="key" id="key">${secret}</code>
    <p><button type="button" data-copy="key" hidden>Copy</button></p>`;
}
