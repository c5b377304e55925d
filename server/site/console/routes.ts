import { z } from "zod";

import { fail } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import { raw } from "../../core/reply.ts";
import type { Route } from "../../core/route.ts";
import { endAfter } from "../../operations/admin/event-stream.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import { endSession, findSession, openSession } from "../../operations/console-session.ts";
import { mailFrame } from "../pages/inbox.ts";
import { callAdmin, readReply } from "./call-admin.ts";
import { assertGenuine, assertOpen, base, behindLogin, Form, get, goTo, onPage } from "./guard.ts";
import { homeBody } from "./home.ts";
import type { Find } from "./home.ts";
import { frame } from "./render.ts";
import { searchRoute } from "./search.ts";
import { storeRoutes } from "./store-routes.ts";
import { text } from "./view.ts";
import { viewRoutes } from "./view-routes.ts";
import { VIEWS } from "./views.ts";

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
    streamRoute(find),
    mailHtmlRoute(find),
    searchRoute(find),
    ...VIEWS.flatMap((view) => viewRoutes(view, find)),
    ...storeRoutes,
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
      behindLogin(ctx, async (session) =>
        frame({ title: "Home", body: await homeBody(find, ctx, session), session }),
      ),
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

const mailHtmlRoute = (find: Find): Route =>
  defineOperationsRoute({
    ...get,
    id: "pages.console-mail-html.get",
    path: "/_/mail/:id/html",
    summary: "The HTML part of a mail",
    params: z.object({ id: z.string() }),
    example: { params: { id: "x" } },
    handle: ({ params }, ctx) =>
      behindLogin(ctx, async (session) => {
        const reply = await callAdmin(find("admin.mail.show"), ctx, session, { params, query: {}, body: {} });
        const [row = {}] = readReply(reply).rows;
        return mailFrame(text(row, "html"));
      }),
  });

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
