import { z } from "zod";

import { ERRORS, fail, Problem } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import { raw } from "../../core/route.ts";
import type { Reply, Route } from "../../core/route.ts";
import { endAfter } from "../../operations/admin/event-stream.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { assetUrl } from "../pages/assets.ts";
import { callAdmin, readReply } from "./call-admin.ts";
import { homeBody } from "./home.ts";
import type { Find } from "./home.ts";
import { frame, itemBody, listBody } from "./render.ts";
import {
  endSession,
  findSession,
  isGenuine,
  isSafeForSessions,
  openSession,
} from "../../operations/console-session.ts";
import type { Session } from "../../operations/console-session.ts";
import { namesIn, text } from "./view.ts";
import type { Action, View } from "./view.ts";
import { VIEWS } from "./views.ts";

const base = { data: z.string(), rawType: "text/html", hidden: true } as const;
const get = { ...base, method: "GET" } as const;
const Form = z.record(z.string().max(60), z.string().max(2_000));

/** How long a page follows the limits before its session is looked at again. */
const STREAM_MS = 60_000;

/** The operator's console: pages that show admin routes, behind a session that a login link opened. */
export function consoleRoutes(adminRoutes: readonly Route[]): readonly Route[] {
  const find = (id: string): Route => {
    const found = adminRoutes.find((route) => route.id === id);
    if (found === undefined) throw new Error(`The console references ${id}, which is not an admin route.`);
    return found;
  };
  return [
    homeRoute(find),
    setupRoute,
    loginRoute,
    logoutRoute,
    doRoute(find),
    streamRoute(find),
    ...VIEWS.map((view) => viewRoute(view, find(view.route))),
  ];
}

const homeRoute = (find: Find): Route =>
  defineOperationsRoute({
    ...get,
    id: "pages.console-home.get",
    path: "/_",
    summary: "Operator console",
    example: {},
    handle: (_input, ctx) =>
      behindLogin(ctx, async (session) => frame({ title: "Home", body: await homeBody(find, ctx), session })),
  });

/** Looking at a link must not use it up: a press of the button does. */
const setupRoute = defineOperationsRoute({
  ...get,
  id: "pages.console-setup.get",
  path: "/_/setup/:token",
  summary: "Login page behind a login link",
  params: z.object({ token: z.string() }),
  example: { params: { token: "Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu" } },
  async handle({ params: { token } }, ctx) {
    assertOpen(ctx);
    return frame({
      title: "Log in",
      session: null,
      body: html`<h1>Operator console</h1>
        <p>The link can be used once within 30 minutes. The session lasts twelve hours.</p>
        <form method="post" action="/_/setup">
          <input type="hidden" name="token" value="${token}" /><button>Log in</button>
        </form>`,
    });
  },
});

const loginRoute = defineOperationsRoute({
  ...base,
  id: "pages.console-setup.post",
  method: "POST",
  path: "/_/setup",
  summary: "Log in",
  body: z.object({ token: z.string().max(100) }),
  form: true,
  status: 303,
  example: { body: { token: "Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu" } },
  handle: ({ body: { token } }, ctx) =>
    onPage(null, async () => {
      assertOpen(ctx);
      return goTo("/_", await openSession(ctx, token));
    }),
});

const logoutRoute = defineOperationsRoute({
  ...base,
  id: "pages.console-logout.post",
  method: "POST",
  path: "/_/logout",
  summary: "Log out",
  body: Form,
  form: true,
  status: 303,
  example: { body: {} },
  handle: ({ body }, ctx) =>
    behindLogin(ctx, async (session) => {
      assertGenuine(session, body);
      return goTo("/", await endSession(ctx));
    }),
});

const viewRoute = (view: View, route: Route): Route =>
  defineOperationsRoute({
    ...get,
    id: `pages.console-${view.path.replaceAll(/[/:_]+/g, "-")}.get`,
    path: `/_/${view.path}`,
    summary: view.title,
    params: z.object(Object.fromEntries(namesIn(view.path).map((name) => [name, z.string()]))),
    query: z.looseObject({}),
    example: { params: Object.fromEntries(namesIn(view.path).map((name) => [name, "x"])) },
    handle: ({ params, query }, ctx) =>
      behindLogin(ctx, async (session) => {
        const asked = { ...given(query), ...given(params) };
        const { rows, next } = readReply(
          await callAdmin(route, ctx, { params: asked, query: asked, body: {} }),
        );
        const shown = { view, asked, session };
        const body =
          view.columns === undefined ? itemBody(shown, rows[0] ?? {}) : listBody(shown, { rows, next });
        const scripts = view.live === true ? { scripts: [await assetUrl("console.js")] } : {};
        return frame({ title: view.title, body, session, ...scripts });
      }),
  });

/** Does what a button says: only routes that a page offers, only from the session's own pages. */
const doRoute = (find: Find): Route =>
  defineOperationsRoute({
    ...base,
    id: "pages.console-do.post",
    method: "POST",
    path: "/_/do/:route",
    summary: "Call an admin route",
    params: z.object({ route: z.string().max(100) }),
    body: Form,
    form: true,
    example: { params: { route: "admin.storage.compact" }, body: {} },
    handle: ({ params: { route: id }, body }, ctx) =>
      behindLogin(ctx, async (session) => {
        assertGenuine(session, body);
        const action = VIEWS.flatMap(actionsOf).find(({ route }) => route === id);
        if (action === undefined) throw fail("not_found", "No resource matches this path.");
        if (action.isFinal === true && body["sure"] !== "yes") {
          throw fail(
            "unprocessable_content",
            "Confirmation is required: this cannot be undone. Tick the box.",
          );
        }
        const params = under(body, "param.");
        const reply = await callAdmin(find(id), ctx, { params, query: params, body: under(body, "body.") });
        const [row] = readReply(reply).rows;
        const back = /^\/_\/[\w\-./@%?=&~]*$/.test(body["back"] ?? "") ? (body["back"] ?? "/_") : "/_";
        if (row === undefined) return goTo(back, null);
        return frame({
          title: action.label,
          session,
          scripts: [await assetUrl("copy.js")],
          body: html`<h1>${action.label}</h1>
            ${secretOf(row)}
            <pre>${JSON.stringify({ ...row, api_key: undefined, secret: undefined }, null, 2)}</pre>
            <p><a class="button" href="${back}">Back</a></p>`,
        });
      }),
  });

const actionsOf = ({ actions = [], rowAction }: View): readonly Action[] =>
  rowAction === undefined ? actions : [...actions, rowAction];

/** What is shown this once. */
function secretOf(row: Readonly<Record<string, unknown>>) {
  const secret = text(row, "api_key") || text(row, "secret");
  if (secret === "") return null;
  return html`<p class="note">Copy it now: it is not stored and cannot be shown again.</p>
    <code class="key" id="key">${secret}</code>
    <p><button type="button" data-copy="key" hidden>Copy</button></p>`;
}

const streamRoute = (find: Find): Route =>
  defineOperationsRoute({
    ...get,
    id: "pages.console-limits.stream",
    path: "/_/limits/stream",
    rawType: "text/event-stream",
    summary: "Stream of rate limit events for the limits page",
    example: {},
    async handle(_input, ctx) {
      assertOpen(ctx);
      if ((await findSession(ctx)) === null) throw fail("unauthorized", "Log in first.");
      // Its answer goes on long after this transaction.
      const reply = await find("admin.limits.stream").handle(
        { params: {}, query: { only_rejected: "false", min_used: 0 }, body: undefined },
        ctx,
      );
      if (reply.kind !== "raw" || !(reply.body instanceof ReadableStream)) {
        throw new TypeError("The limits route is not a stream.");
      }
      // A session that was logged out, or has ended, receives no more.
      const body = endAfter(reply.body, STREAM_MS);
      return raw(reply.contentType, body, reply.headers === undefined ? {} : { headers: reply.headers });
    },
  });

/** Runs a page for a logged-in operator; anyone else is shown how to log in. */
async function behindLogin(
  ctx: OperationsCtx,
  work: (session: Session) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  assertOpen(ctx);
  const session = await findSession(ctx);
  if (session !== null) return onPage(session, () => work(session));
  return frame({
    title: "Log in",
    session: null,
    status: 401,
    body: html`<h1>Operator console</h1>
      <p>Create a login link on the server, and open it in this browser:</p>
      <pre>platform admin link</pre>`,
  });
}

/** What a route refuses is shown on a page, with the way back. */
async function onPage(session: Session | null, work: () => Promise<Reply<never>>): Promise<Reply<never>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, title } = ERRORS[error.type];
    return frame({
      title,
      session,
      status,
      body: html`<h1>${title}</h1>
        <p class="note bad">${error.detail}</p>
        <ul>
          ${(error.options.errors ?? []).map(
            ({ pointer = "", parameter = "", detail }) =>
              html`<li><code>${pointer}${parameter}</code> ${detail}</li>`,
          )}
        </ul>
        <p><a href="/_">Console</a></p>`,
    });
  }
}

/** 404 while it is switched off; 403 where a session would travel in the clear. */
function assertOpen({ deps: { config } }: OperationsCtx): void {
  if (!config.admin.ui) throw fail("not_found", "No resource matches this path.");
  if (!isSafeForSessions(config.baseUrl)) {
    throw fail(
      "forbidden",
      "The console requires https. Set baseUrl and use a TLS proxy in front of the server.",
    );
  }
}

function assertGenuine(session: Session, body: Readonly<Record<string, string>>): void {
  if (!isGenuine(session, body["csrf"] ?? ""))
    throw fail("forbidden", "This form belongs to another session. Reload the page and try again.");
}

const goTo = (location: string, setCookie: string | null): Reply<never> =>
  raw("text/plain; charset=utf-8", "", {
    status: 303,
    headers: { Location: location, ...(setCookie === null ? {} : { "Set-Cookie": setCookie }) },
  });

/** The members that say something. */
const given = (members: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value.trim()]] : [],
    ),
  );

const under = (body: Readonly<Record<string, string>>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
