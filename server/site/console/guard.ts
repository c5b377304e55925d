import { z } from "zod";

import { ERRORS, fail, Problem } from "../../lib/errors.ts";
import { html } from "../../lib/html.ts";
import { raw } from "../../core/reply.ts";
import type { Reply } from "../../core/reply.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { findSession, isGenuine, isSafeForSessions } from "../../operations/console-session.ts";
import type { Session } from "../../operations/console-session.ts";
import { frame } from "./render.ts";

/** What all routes of the console have in common. */
export const base = { data: z.string(), rawType: "text/html", hidden: true } as const;
export const get = { ...base, method: "GET" } as const;
/** A form as it is sent. */
export const Form = z.record(z.string().max(60), z.string().max(2_000));

/** Runs a page for a logged-in operator; anyone else is shown how to log in. */
export async function behindLogin(
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
export async function onPage(
  session: Session | null,
  work: () => Promise<Reply<never>>,
): Promise<Reply<never>> {
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
export function assertOpen({ deps: { config } }: OperationsCtx): void {
  if (!config.admin.ui) throw fail("not_found", "No resource matches this path.");
  if (!isSafeForSessions(config.baseUrl)) {
    throw fail(
      "forbidden",
      "The console requires https. Set baseUrl and use a TLS proxy in front of the server.",
    );
  }
}

export function assertGenuine(session: Session, body: Readonly<Record<string, string>>): void {
  if (!isGenuine(session, body["csrf"] ?? ""))
    throw fail("forbidden", "This form belongs to another session. Reload the page and try again.");
}

/** 303 to another page, with a cookie where one is set or taken away. */
export const goTo = (location: string, setCookie: string | null = null): Reply<never> =>
  raw("text/plain; charset=utf-8", "", {
    status: 303,
    headers: { Location: location, ...(setCookie === null ? {} : { "Set-Cookie": setCookie }) },
  });

/** The members that are not empty. */
export const given = (members: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      typeof value === "string" && value !== "" ? [[name, value.trim()]] : [],
    ),
  );
