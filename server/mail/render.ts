import { COLORS } from "../core/page-style.ts";
import type { Shop } from "../core/shop.ts";
import { wordsIn } from "../core/words.ts";
import { legible } from "../lib/contrast.ts";
import { escapeHtml } from "../lib/html.ts";
import { writeHtml, writeText, wrap } from "./blocks.ts";
import { loadTemplateHtml } from "./compile.ts";
import { asInlineText } from "./template.ts";
import type { MailTemplate } from "./template.ts";
import {
  cateringApproval,
  cateringDeposit,
  cateringInvoice,
  cateringQuote,
  cateringQuoteReminder,
  cateringRsvp,
} from "./templates/catering.ts";
import {
  abandonedCartFirst,
  abandonedCartLast,
  abandonedCartSecond,
  formsNotification,
  formsReceipt,
  tierAtRisk,
  tierDown,
  tierUp,
} from "./templates/customers.ts";
import { engineMessage } from "./templates/engine.ts";
import {
  backupOverdue,
  keyExpiring,
  keyReissue,
  privacyConfirm,
  test,
  trialEnded,
  trialEnding,
  verify,
  webhookDisabled,
} from "./templates/platform.ts";
import {
  reviewConfirmation,
  reviewEdited,
  reviewInvitation,
  reviewPrivateReply,
  reviewReminder,
} from "./templates/review.ts";
import {
  subscriptionCancelled,
  subscriptionConfirmation,
  subscriptionPaymentFailed,
  subscriptionPaymentLast,
  subscriptionPaymentReminder,
  subscriptionRenewal,
} from "./templates/subscription.ts";

/** THE list of mails; their layout is `templates/mail.mjml`, their texts are in `templates/locales`. */
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
  "engine-message": engineMessage,
} as const;

export type MailName = keyof typeof mailTemplates;

/** What the template's schema takes: `MailData<"verify">` is `{ link, store_identifier, expires_at }`. */
export type MailData<N extends MailName> = (typeof mailTemplates)[N]["example"];

export interface RenderOptions {
  /** Public address of the service; links of the mail's frame begin with it. */
  readonly baseUrl: string;
  /** An operator's own folder with a `mail.mjml`, in place of the package's. */
  readonly templatesDir?: string;
  /** Language and region of the reader; default: British English. */
  readonly locale?: string | null | undefined;
  /** The store in whose name it is sent; absent on mail of the platform itself. */
  readonly sender?: MailSender | undefined;
}

/** Named at the end of a store's mail. */
export interface MailSender {
  /** The store's identifier. */
  readonly store: string;
  /** Where the reader stops or reports its mail. */
  readonly choicesUrl: string;
  /** The store's profile; null or absent: the mail looks like the platform's own. */
  readonly shop?: ShopProfile | null;
}

/** What a mail shows of a store's profile. */
export type ShopProfile = Pick<Shop, "name" | "legal_name" | "address" | "email" | "logo_url" | "color">;

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
  const words = wordsIn(options.locale ?? null);
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const content = template.write(withShopName(data, options.sender), { baseUrl, words });
  const { ground, raised, accent } = COLORS.light;
  const shop = options.sender?.shop ?? null;
  const color = shop?.color;
  const look = { baseUrl, accent: color == null ? accent : legible(color, [ground, raised]) };
  const html = fillHtml(await cachedLayout(options.templatesDir), {
    lang: escapeHtml(words.locale),
    title: escapeHtml(content.title ?? content.subject),
    base_url: escapeHtml(baseUrl),
    content: `${logoHtml(shop)}${writeHtml(words, content, look).html}`,
  });
  const { subject } = content;
  const text = writeText(words, content, baseUrl);
  if (options.sender === undefined) return { subject, html, text };
  const { choicesUrl, store } = options.sender;
  const reason = words.say(template.reason);
  const imprint = [shop?.legal_name, ...(shop?.address ?? "").split("\n")]
    .flatMap((line) => (line == null || line.trim() === "" ? [] : [asInlineText(line)]))
    .join(", ");
  const sentence = words.say("mail.origin", { store: asInlineText(store), reason });
  const origin = imprint === "" ? sentence : `${imprint}. ${sentence}`;
  const stop = words.say("mail.stop");
  return {
    subject,
    html: html.replace("</body>", () => `${footerHtml({ origin, choicesUrl, stop })}</body>`),
    text: `${text}${wrap(origin)}\n${words.say("mail.label", { label: stop, value: choicesUrl })}\n`,
  };
}

/** A store without a name is called by its identifier: "the shop" has no form that is correct in each sentence of German. */
const withShopName = (data: object, sender: MailSender | undefined): object =>
  sender !== undefined && "shop_name" in data && data.shop_name === ""
    ? { ...data, shop_name: sender.store }
    : data;

/** Without a picture, its reader sees the name. */
const logoHtml = (shop: ShopProfile | null): string =>
  shop?.logo_url == null
    ? ""
    : `<img src="${escapeHtml(shop.logo_url)}" alt="${escapeHtml(asInlineText(shop.name ?? ""))}" height="40" style="display:block;height:40px;max-width:100%;margin:0 0 16px">`;

/** The end of a store's mail: who sent it, why, and how to stop it. In operators' own layouts as well. */
const footerHtml = ({
  origin,
  choicesUrl,
  stop,
}: {
  readonly origin: string;
  readonly choicesUrl: string;
  readonly stop: string;
}): string =>
  `<div style="max-width:552px;margin:0 auto;padding:8px 24px 24px;font:12px/18px system-ui,sans-serif;color:#57606a">${escapeHtml(origin)}<br><a href="${escapeHtml(choicesUrl)}" style="color:#57606a">${escapeHtml(stop)}</a></div>`;

/** Puts HTML in the place of `{{name}}`. Throws on a placeholder that the mail has no value for. */
export function fillHtml(layout: string, values: Readonly<Record<string, string>>): string {
  return layout.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) {
      throw new Error(
        `The mail template references the unknown value {{${name}}}. Known values: ${Object.keys(values).join(", ")}`,
      );
    }
    return values[name] ?? "";
  });
}

const cache = new Map<string, Promise<string>>();

function cachedLayout(templatesDir = ""): Promise<string> {
  const known = cache.get(templatesDir);
  if (known !== undefined) return known;
  const loading = loadTemplateHtml("mail", templatesDir === "" ? undefined : templatesDir);
  cache.set(templatesDir, loading);
  // A failure is not remembered: the next mail tries again, after the operator fixed the file.
  loading.catch(() => cache.delete(templatesDir));
  return loading;
}
