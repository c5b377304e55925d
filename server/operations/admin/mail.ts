import { z } from "zod";

import { parseEmail, Email } from "../../accounts/customers/email.ts";
import { copyMail } from "../../mail/compose.ts";
import { toMail } from "../../mail/mailbox.ts";
import { MAIL_PART, mailKey, mailOps, MailState, replaceOps } from "../../mail/record.ts";
import type { MailRecord } from "../../mail/record.ts";
import { fromInstant } from "../../lib/instant.ts";
import { conflict, conflictWhen, fail, invalidField } from "../../lib/errors.ts";
import { ok, values } from "../../core/reply.ts";
import { Instant, listFields } from "../../core/schema.ts";
import { defineOperationsRoute } from "../context.ts";
import type { OperationsCtx } from "../context.ts";
import { suppressAddress } from "../../mail/choices.ts";

/** How long an answer may wait for the mail server. */
const PATIENCE_MS = 10_000;

const summaryFields = {
  id: z.string(),
  to: z.string(),
  template: z.string(),
  subject: z.string(),
  status: MailState,
  attempts: z.int(),
  next_at: Instant.nullable(),
  last_error: z.string().nullable(),
  created_at: Instant,
  sent_at: Instant.nullable(),
  expires_at: Instant,
};
const MailSummary = z.strictObject(summaryFields);
const MailView = z.strictObject({
  ...summaryFields,
  link: z.string().nullable(),
  text: z.string(),
  html: z.string(),
});

const EXAMPLE_MAIL = "mail_01JD8Z5T9QK3M4N5P6R7S8T9V0";
const EXAMPLE_LINK =
  "https://api.shop.example/api/platform/verify?token=Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu";
const Address = z.string().max(320);

const listMail = defineOperationsRoute({
  id: "admin.mail.list",
  method: "GET",
  path: "/mail",
  summary: "List mails of the outbox, newest first",
  query: z.object({ ...listFields, to: Address.optional() }),
  data: z.array(MailSummary),
  example: { query: {} },
  async handle({ query: { limit, cursor, to } }, { deps }) {
    const place = `mail.${to ?? ""}`;
    const after = cursor === undefined ? undefined : deps.cursors.open(place, MAIL_PART, cursor);
    const page =
      to === undefined
        ? await deps.mail.list({ limit, after })
        : await deps.mail.listTo(to, { limit, after });
    const next = page.next === null ? null : deps.cursors.sign(place, MAIL_PART, page.next);
    return values(page.items.map(toSummary), { limit, next });
  },
});

const showMail = defineOperationsRoute({
  id: "admin.mail.show",
  role: "support",
  method: "GET",
  path: "/mail/:id",
  summary: "Retrieve a mail of the outbox",
  params: z.object({ id: z.string() }),
  data: MailView,
  errors: [{ type: "not_found", when: "No mail has this id" }],
  example: { params: { id: EXAMPLE_MAIL } },
  handle: async ({ params }, ctx) => ok(toView((await requireMail(ctx, params.id)).mail)),
});

const findMailLink = defineOperationsRoute({
  id: "admin.mail.link",
  role: "support",
  method: "GET",
  path: "/mail/link",
  summary: "Retrieve the latest valid link sent to an address",
  query: z.object({ email: Address }),
  data: z.strictObject({ email: z.string(), link: z.string() }),
  errors: [{ type: "not_found", when: "No mail to this address contains a valid link" }],
  example: {
    query: { email: "ada@shop.example" },
    data: { email: "ada@shop.example", link: EXAMPLE_LINK },
  },
  async handle({ query: { email } }, { deps, now }) {
    const link = await deps.mail.findLink(email, now);
    if (link === null) throw fail("not_found", "No mail to this address contains a valid link.");
    return ok({ email, link });
  },
});

const sendTestMail = defineOperationsRoute({
  id: "admin.mail.send-test",
  role: "support",
  method: "POST",
  path: "/mail/send-test",
  summary: "Send a test mail through the configured transport",
  body: z.strictObject({ to: Address }),
  data: z.strictObject({
    id: z.string(),
    to: z.string(),
    email_sent: z.boolean(),
    last_error: z.string().nullable(),
  }),
  errors: [{ type: "unprocessable_content", when: "`to` is not a valid address" }],
  example: { body: { to: "ada@shop.example" } },
  async handle({ body: { to } }, { deps, nowAt }) {
    if (parseEmail(to) === null) throw invalidField(["to"], "Expected an e-mail address.");
    const mail = await deps.mail.compose({ to, template: "test", data: { requested_at: nowAt } });
    await deps.store.commit(MAIL_PART, mailOps(mail), [{ key: mailKey(mail.id), version: 0 }]);
    const sent = await deps.mail.deliverNow(mail.id, { timeoutMs: PATIENCE_MS });
    const after = await deps.mail.get(mail.id);
    return ok({ id: mail.id, to, email_sent: sent, last_error: after?.last_error ?? null });
  },
});

const retryMail = defineOperationsRoute({
  id: "admin.mail.retry",
  role: "support",
  method: "POST",
  path: "/mail/:id/retry",
  summary: "Retry a mail now, including one that was given up",
  params: z.object({ id: z.string() }),
  data: MailView,
  errors: [
    { type: "not_found", when: "No mail has this id" },
    conflictWhen("mail_sent", "The mail was already sent"),
    conflictWhen("mail_expired", "The content of the mail has expired"),
  ],
  example: { params: { id: EXAMPLE_MAIL } },
  async handle({ params }, ctx) {
    const { deps, now, nowAt } = ctx;
    const { mail, version } = await requireMail(ctx, params.id);
    if (mail.state === "sent") throw conflict("mail_sent", "The mail was already sent.");
    requireUseful(mail, now);
    if (mail.state === "failed" || mail.state === "dead") {
      const queued: MailRecord = { ...mail, state: "queued", next_at: nowAt, purge_at: null };
      // Losing this race means that another request asked for the same.
      await deps.store.commit(MAIL_PART, replaceOps(mail, queued), [{ key: mailKey(mail.id), version }]);
    }
    await deps.mail.deliverNow(mail.id, { timeoutMs: PATIENCE_MS });
    return ok(toView((await requireMail(ctx, params.id)).mail));
  },
});

const resendMail = defineOperationsRoute({
  id: "admin.mail.resend",
  role: "support",
  method: "POST",
  path: "/mail/:id/resend",
  summary: "Send a mail that was sent before again, as a new mail",
  params: z.object({ id: z.string() }),
  data: MailView,
  errors: [
    { type: "not_found", when: "No mail has this id" },
    conflictWhen("mail_not_sent", "The mail was not sent yet. Retry it"),
    conflictWhen("mail_expired", "The content of the mail has expired"),
    conflictWhen("mail_marketing", "The mail is marketing, which is sent at most once"),
  ],
  example: { params: { id: EXAMPLE_MAIL } },
  async handle({ params }, ctx) {
    const { deps, now } = ctx;
    const { mail } = await requireMail(ctx, params.id);
    if (mail.state !== "sent") {
      throw conflict("mail_not_sent", `The mail is ${mail.state}, not sent.`);
    }
    requireUseful(mail, now);
    if (mail.message.unsubscribe_url !== undefined) {
      throw conflict("mail_marketing", "Marketing mail is sent at most once.");
    }
    const copy = copyMail(mail, deps.newId("mail"), now);
    await deps.store.commit(MAIL_PART, mailOps(copy), [{ key: mailKey(copy.id), version: 0 }]);
    await deps.mail.deliverNow(copy.id, { timeoutMs: PATIENCE_MS });
    return ok(toView((await requireMail(ctx, copy.id)).mail));
  },
});

function requireUseful(mail: MailRecord, now: number): void {
  if (fromInstant(mail.expires_at) > now) return;
  throw conflict("mail_expired", "The content of this mail has expired. Request a new mail.");
}

async function requireMail(
  { deps }: OperationsCtx,
  id: string,
): Promise<{ mail: MailRecord; version: number }> {
  const doc = /^mail_[0-9A-Z]{1,60}$/.test(id) ? await deps.store.get(mailKey(id)) : null;
  if (doc === null) throw fail("not_found", "No mail with this id.");
  return { mail: toMail(doc), version: doc.version };
}

const toSummary = (mail: MailRecord): z.input<typeof MailSummary> => ({
  id: mail.id,
  to: mail.message.to,
  template: mail.message.template,
  subject: mail.message.subject,
  status: mail.state,
  attempts: mail.attempts,
  next_at: mail.next_at,
  last_error: mail.last_error,
  created_at: mail.created_at,
  sent_at: mail.sent_at,
  expires_at: mail.expires_at,
});

const toView = (mail: MailRecord): z.input<typeof MailView> => ({
  ...toSummary(mail),
  link: mail.link,
  text: mail.message.text,
  html: mail.message.html,
});

const body = z.strictObject({ address: Email, suppressed: z.boolean().default(true) });

/** For complaints that reach the operator, and for readers who want their mail back. */
const suppressMail = defineOperationsRoute({
  id: "admin.mail.suppress",
  role: "support",
  method: "POST",
  path: "/mail/suppress",
  summary: "Suppress all mail to an address, or allow it again",
  description:
    "Recipients can do the same with the link in a mail. Stores from which a recipient has unsubscribed remain suppressed.",
  body,
  data: body.required(),
  example: { body: { address: "ada@shop.example" } },
  async handle({ body: { address, suppressed } }, { tx, nowAt }) {
    const to = parseEmail(address)?.deliverable ?? address;
    await suppressAddress(tx, to, { isSuppressed: suppressed, nowAt });
    return ok({ address, suppressed });
  },
});

export const mailRoutes = [
  listMail,
  findMailLink,
  showMail,
  sendTestMail,
  retryMail,
  resendMail,
  suppressMail,
];
