import { loadTemplateHtml } from "./compile.ts";
import { asInlineText } from "./template.ts";
import type { MailTemplate, MailValues } from "./template.ts";
import { wrap } from "./templates/subscription.ts";
import { backupOverdue } from "./templates/backup-overdue.ts";
import { cateringApproval } from "./templates/catering-approval.ts";
import { cateringDeposit } from "./templates/catering-deposit.ts";
import { cateringInvoice } from "./templates/catering-invoice.ts";
import { cateringQuote, cateringQuoteReminder } from "./templates/catering-quote.ts";
import { cateringRsvp } from "./templates/catering-rsvp.ts";
import { abandonedCartFirst, abandonedCartLast, abandonedCartSecond } from "./templates/abandoned-cart.ts";
import { formsNotification, formsReceipt } from "./templates/forms.ts";
import { keyExpiring } from "./templates/key-expiring.ts";
import { keyReissue } from "./templates/key-reissue.ts";
import {
  reviewConfirmation,
  reviewEdited,
  reviewInvitation,
  reviewPrivateReply,
  reviewReminder,
} from "./templates/review.ts";
import { privacyConfirm } from "./templates/privacy-confirm.ts";
import { subscriptionCancelled } from "./templates/subscription-cancelled.ts";
import { subscriptionConfirmation } from "./templates/subscription-confirmation.ts";
import {
  subscriptionPaymentFailed,
  subscriptionPaymentLast,
  subscriptionPaymentReminder,
} from "./templates/subscription-payment.ts";
import { subscriptionRenewal } from "./templates/subscription-renewal.ts";
import { test } from "./templates/test.ts";
import { tierAtRisk, tierDown, tierUp } from "./templates/tier.ts";
import { trialEnded, trialEnding } from "./templates/trial.ts";
import { verify } from "./templates/verify.ts";
import { webhookDisabled } from "./templates/webhook-disabled.ts";

/** THE list of mails. Each has its `templates/<name>.mjml`. */
export const mailTemplates = {
  verify,
  "key-reissue": keyReissue,
  test,
  "subscription-confirmation": subscriptionConfirmation,
  "subscription-renewal": subscriptionRenewal,
  "subscription-payment-failed": subscriptionPaymentFailed,
  "subscription-payment-reminder": subscriptionPaymentReminder,
  "subscription-payment-last": subscriptionPaymentLast,
  "subscription-cancelled": subscriptionCancelled,
  "abandoned-cart-first": abandonedCartFirst,
  "abandoned-cart-second": abandonedCartSecond,
  "abandoned-cart-last": abandonedCartLast,
  "catering-quote": cateringQuote,
  "catering-quote-reminder": cateringQuoteReminder,
  "catering-approval": cateringApproval,
  "catering-deposit": cateringDeposit,
  "catering-rsvp": cateringRsvp,
  "catering-invoice": cateringInvoice,
  "forms-notification": formsNotification,
  "forms-receipt": formsReceipt,
  "review-invitation": reviewInvitation,
  "review-reminder": reviewReminder,
  "review-confirmation": reviewConfirmation,
  "review-edited": reviewEdited,
  "review-private-reply": reviewPrivateReply,
  "tier-up": tierUp,
  "tier-at-risk": tierAtRisk,
  "tier-down": tierDown,
  "key-expiring": keyExpiring,
  "trial-ending": trialEnding,
  "trial-ended": trialEnded,
  "webhook-disabled": webhookDisabled,
  "privacy-confirm": privacyConfirm,
  "backup-overdue": backupOverdue,
} as const;

export type MailName = keyof typeof mailTemplates;

/** What the template's schema takes: `MailData<"verify">` is `{ link, store_identifier, expires_at }`. */
export type MailData<N extends MailName> = (typeof mailTemplates)[N]["example"];

export interface RenderOptions {
  /** Public address of the service; links of the mail's frame begin with it. */
  readonly baseUrl: string;
  /** An operator's own folder of `.mjml` files, in place of the package's. */
  readonly templatesDir?: string;
  /** The store in whose name it is sent; absent on mail of the platform itself. */
  readonly sender?: MailSender | undefined;
}

/** Named at the end of a store's mail. */
export interface MailSender {
  /** The store's identifier. */
  readonly store: string;
  /** Where the reader stops or reports its mail. */
  readonly choicesUrl: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export const isMailName = (name: string): name is MailName => Object.hasOwn(mailTemplates, name);

/**
 * Renders a mail. Every value is escaped on its way into the HTML.
 * Throws a ZodError when `data` is not what the template needs, and an Error when the MJML of an operator's own
 * folder is missing or wrong.
 */
export async function renderMail<N extends MailName>(
  name: N,
  data: MailData<N>,
  options: RenderOptions,
): Promise<RenderedMail> {
  const template: MailTemplate = mailTemplates[name];
  const { values, text } = template.prepare(data, { baseUrl: options.baseUrl.replace(/\/+$/, "") });
  const html = fillHtml(await cachedHtml(name, options.templatesDir), values);
  const { subject } = template;
  if (options.sender === undefined) return { subject, html, text };
  const { choicesUrl, store } = options.sender;
  const origin = `Sent for the store "${asInlineText(store)}". You receive this email because ${template.reason}.`;
  return {
    subject,
    html: html.replace("</body>", () => `${footerHtml(origin, choicesUrl)}</body>`),
    text: `${text}${wrap(origin)}\nUnsubscribe or report: ${choicesUrl}\n`,
  };
}

/** The end of a store's mail: who sent it, why, and how to stop it. In operators' own templates as well. */
const footerHtml = (origin: string, choicesUrl: string): string =>
  `<div style="max-width:552px;margin:0 auto;padding:8px 24px 24px;font:12px/18px system-ui,sans-serif;color:#57606a">${escapeHtml(origin)}<br><a href="${escapeHtml(choicesUrl)}" style="color:#57606a">Unsubscribe or report</a></div>`;

/** Puts escaped values in the place of `{{name}}`. Throws on a placeholder that the mail has no value for. */
export function fillHtml(html: string, values: MailValues): string {
  return html.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) {
      throw new Error(
        `The mail template references the unknown value {{${name}}}. Known values: ${Object.keys(values).join(", ")}`,
      );
    }
    return escapeHtml(values[name] ?? "");
  });
}

const ENTITIES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Safe between tags and inside a quoted attribute, which are the only places of a placeholder. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (char) => ENTITIES.get(char) ?? char);

const cache = new Map<string, Promise<string>>();

function cachedHtml(name: string, templatesDir = ""): Promise<string> {
  const key = `${templatesDir}\0${name}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const loading = loadTemplateHtml(name, templatesDir === "" ? undefined : templatesDir);
  cache.set(key, loading);
  // A failure is not remembered: the next mail tries again, after the operator fixed the file.
  loading.catch(() => cache.delete(key));
  return loading;
}
