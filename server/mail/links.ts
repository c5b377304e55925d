import { z } from "zod";

import { linkPages, linkParams, requireLink } from "../core/link-page.ts";
import { html } from "../lib/html.ts";
import { defineOpenRoute } from "../core/route.ts";
import { CHOICES_PURPOSE, choose } from "./choices.ts";
import { MAIL_PART } from "./record.ts";

const { link: common, page } = linkPages();
const link = { ...common, path: "/mail/:token" } as const;

const show = defineOpenRoute({
  ...link,
  id: "public.mail.show",
  method: "GET",
  summary: "Page to unsubscribe from mail, report it or confirm that it is welcome",
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { part } = requireLink(ctx, CHOICES_PURPOSE, token);
    const isStores = part !== MAIL_PART;
    return page({
      title: "Your mail",
      body: html`<main>
        <h1>Your mail</h1>
        <p>
          Choose which mail this address receives from
          ${isStores ? "the store that sent it" : "this service"}.
        </p>
        <form method="post" action="/api/public/mail/${token}">
          <button name="action" value="stop">Stop these mails</button>
          ${isStores ? html`<button name="action" value="welcome">These mails are welcome</button>` : null}
        </form>
        ${
          isStores
            ? html`<h2>Do you not know this store?</h2>
                <p>
                  Report the mail as unsolicited. No store of this service will send mail to this address
                  again.
                </p>
                <form method="post" action="/api/public/mail/${token}">
                  <button name="action" value="report">Report the mail</button>
                </form>`
            : null
        }
      </main>`,
    });
  },
});

/** What the pages and the mail programs post. */
const Pressed = z.union([
  z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
  z.strictObject({ action: z.enum(["stop", "report", "welcome"]) }),
]);

const DONE = {
  stop: "You have unsubscribed. No further mail of this kind will be sent to this address.",
  report:
    "Thank you. No store of this service will send mail to this address again, and the operator will see your report.",
  welcome: "Thank you. The store can continue to send mail to this address.",
} as const;

const press = defineOpenRoute({
  ...link,
  id: "public.mail.choose",
  method: "POST",
  summary: "Unsubscribe with one click (RFC 8058), report a mail or confirm that it is welcome",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { "List-Unsubscribe": "One-Click" } },
  async handle({ params: { token }, body }, ctx) {
    const { part, id } = requireLink(ctx, CHOICES_PURPOSE, token);
    const action = "action" in body ? body.action : "stop";
    const choice = action === "welcome" ? "welcome" : "stopped";
    const own = { id, choice, chosen_at: ctx.nowAt, reported_part: null } as const;
    await ctx.runTx(part, (tx) => choose(tx, own));
    if (action === "report") {
      await ctx.runTx(MAIL_PART, (tx) => choose(tx, { ...own, reported_part: part }));
      ctx.log.warn({ part }, "mail reported as unsolicited");
    }
    return page({
      title: "Your mail",
      body: html`<main>
        <h1>Your mail</h1>
        <p role="status">${DONE[action]}</p>
      </main>`,
    });
  },
});

export const mailLinkRoutes = [show, press];
