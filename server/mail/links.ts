import { z } from "zod";

import { readFace } from "../core/face.ts";
import { linkPage, linkParams, requireLink } from "../core/link-page.ts";
import { html } from "../lib/html.ts";
import { defineOpenRoute } from "../core/route.ts";
import { isTestPart } from "../core/test-clock.ts";
import { CHOICES_PURPOSE, choose } from "./choices.ts";
import { MAIL_PART } from "./record.ts";

const link = { ...linkPage(CHOICES_PURPOSE), path: "/mail/:token" } as const;

const show = defineOpenRoute({
  ...link,
  id: "public.mail.show",
  method: "GET",
  summary: "Page to unsubscribe from mail, report it or confirm that it is welcome",
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { part } = requireLink(ctx, CHOICES_PURPOSE, token);
    const isStores = part !== MAIL_PART;
    const { page, say } = await ctx.runTx(part, (tx) => readFace(ctx, tx));
    return page({
      title: say("mail_page.title"),
      body: html`<main>
        <h1>${say("mail_page.title")}</h1>
        <p>${say(isStores ? "mail_page.store" : "mail_page.service")}</p>
        <form method="post" action="/api/public/mail/${token}">
          <button name="action" value="stop">${say("mail_page.stop")}</button>
          ${isStores ? html`<button name="action" value="welcome">${say("mail_page.welcome")}</button>` : null}
        </form>
        ${
          isStores
            ? html`<h2>${say("mail_page.unknown")}</h2>
                <p>${say("mail_page.report_about")}</p>
                <form method="post" action="/api/public/mail/${token}">
                  <button name="action" value="report">${say("mail_page.report")}</button>
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
    // A store reads the mails of its test data, with the links for readers that never got them.
    if (action === "report" && !isTestPart(part)) {
      await ctx.runTx(MAIL_PART, (tx) => choose(tx, { ...own, reported_part: part }));
      ctx.log.warn({ part }, "mail reported as unsolicited");
    }
    const { page, say } = await ctx.runTx(part, (tx) => readFace(ctx, tx));
    return page({
      title: say("mail_page.title"),
      body: html`<main>
        <h1>${say("mail_page.title")}</h1>
        <p role="status">${say(`mail_page.done_${action}`)}</p>
      </main>`,
    });
  },
});

export const mailLinkRoutes = [show, press];
