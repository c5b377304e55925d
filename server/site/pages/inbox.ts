import { z } from "zod";

import { fail } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import type { Reply } from "../../core/reply.ts";
import { MAIL_PART } from "../../mail/record.ts";
import type { MailRecord } from "../../mail/record.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { page, pageHeaders } from "./layout.ts";

const SHOWN = 50;
/** What the cursors of its pages are signed for. */
const LIST = "inbox";

const shared = { method: "GET", data: z.string(), rawType: "text/html", hidden: true } as const;
const Params = z.object({ id: z.string() });
const example = { params: { id: "mail_01JD8Z5T9QK3M4N5P6R7S8T9V0" } };

/** The inbox of development: what the `dev` transport kept. Any other transport has no such pages. */
export const inboxRoute = defineOperationsRoute({
  ...shared,
  id: "pages.inbox.list",
  path: "/_/inbox",
  summary: "Inbox of mails stored instead of sent",
  query: z.object({ after: z.string().max(256).optional() }),
  example: {},
  async handle({ query }, ctx) {
    const { cursors } = ctx.deps;
    const after = query.after === undefined ? undefined : cursors.open(LIST, MAIL_PART, query.after);
    const { items, next } = await inbox(ctx).list({ limit: SHOWN, after });
    const rows = items.map(
      (mail) =>
        html`<li>
          <a href="/_/inbox/${mail.id}">${mail.message.subject}</a>
          <span class="meta">to ${mail.message.to} · ${readable(mail.created_at)}${stateOf(mail)}</span>
        </li>`,
    );
    return page({
      title: "Inbox",
      body: html`<h1>Inbox</h1>
        <p class="soft">This server stores mail here instead of sending it.</p>
        ${
          rows.length === 0
            ? html`<p>No mail yet. <a href="/signup">Sign up</a> to get one.</p>`
            : html`<ul class="rows">
                ${rows}
              </ul>`
        }
        ${next !== null && html`<p><a href="/_/inbox?after=${cursors.sign(LIST, MAIL_PART, next)}">Older mails</a></p>`}`,
    });
  },
});

export const inboxMailRoute = defineOperationsRoute({
  ...shared,
  id: "pages.inbox.get",
  path: "/_/inbox/:id",
  summary: "A mail of the inbox",
  params: Params,
  example,
  async handle({ params: { id } }, ctx) {
    const mail = await requireMail(ctx, id);
    const { message, link } = mail;
    return page({
      title: message.subject,
      body: html`<p class="soft"><a href="/_/inbox">Inbox</a></p>
        <h1>${message.subject}</h1>
        <p class="soft">to ${message.to} · ${readable(mail.created_at)}${stateOf(mail)}</p>
        ${link !== null && html`<p><a class="button" href="${link}">Open the link</a></p>`}
        ${mailParts(`/_/inbox/${mail.id}/html`, message.text)}`,
    });
  },
});

/** A mail as its reader sees it, with and without HTML. */
export const mailParts = (address: string, text: string): Html =>
  html`<iframe
      src="${address}"
      title="HTML part"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
    ></iframe>
    <h2>Text part</h2>
    <pre>${text}</pre>`;

// A frame with the text in `srcdoc` would inherit the page's own policy, which forbids the styles of a mail.
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The HTML of a mail for the frame: no script, no form, no request; links open in another tab. */
export const inboxHtmlRoute = defineOperationsRoute({
  ...shared,
  id: "pages.inbox.html",
  path: "/_/inbox/:id/html",
  summary: "The HTML part of a mail",
  params: Params,
  example,
  async handle({ params: { id } }, ctx) {
    return mailFrame((await requireMail(ctx, id)).message.html);
  },
});

/** HTML of a mail for a frame of this server's pages: it loads nothing from outside. */
export function mailFrame(mail: string): Reply<never> {
  const body = mail.replace(/<head[^>]*>/i, '$&<base target="_blank">');
  return raw("text/html; charset=utf-8", body, { headers: pageHeaders(MAIL_POLICY, "'self'") });
}

function inbox({ deps, header }: OperationsCtx): OperationsCtx["deps"]["mail"] {
  const isHere = isOwnHost(header("host"), deps.config.baseUrl);
  if (deps.config.mail.transport !== "dev" || !isHere)
    throw fail("not_found", "No resource matches this path.");
  return deps.mail;
}

/**
 * The inbox asks for no login, so it answers only under this machine's own names: a page elsewhere whose name was made
 * to resolve to 127.0.0.1 (DNS rebinding) must not read the links in it.
 */
function isOwnHost(host: string | undefined, baseUrl: string): boolean {
  if (host === undefined || host === new URL(baseUrl).host) return true;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

async function requireMail(ctx: OperationsCtx, id: string): Promise<MailRecord> {
  const mail = /^mail_[0-9A-Z]{26}$/.test(id) ? await inbox(ctx).get(id) : null;
  if (mail === null) throw fail("not_found", "No resource matches this path.");
  return mail;
}

const readable = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
const stateOf = ({ state }: MailRecord): string => {
  if (state === "sent") return "";
  return state === "test" ? " · test data, not sent" : ` · ${state}`;
};
