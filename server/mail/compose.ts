import { fromInstant, toInstant } from "../lib/instant.ts";
import { assertSafe, domainOf, isPlainAddress, senderAddress } from "./address.ts";
import type { MailRecord } from "./record.ts";
import type { MailData, MailName, MailSender, RenderOptions } from "./render.ts";
import { asInlineText } from "./template.ts";
import { DEFAULT_LIFETIME_MS } from "./retry.ts";

export interface NewMail<N extends MailName> {
  /** For a mail whose id follows from its cause. Default: a new one. */
  readonly id?: string;
  readonly to: string;
  readonly template: N;
  readonly data: MailData<N>;
  /** The store in whose name it is sent; absent on mail of the platform itself. */
  readonly sender?: MailSender;
  /** Where its reader stops mail of the platform itself. */
  readonly choicesUrl?: string;
  /** Language and region of the reader; default: British English. */
  readonly locale?: string | null;
}

export interface ComposeOptions extends RenderOptions {
  readonly id: string;
  readonly nowMs: number;
  /** `mail.from` of the configuration; its domain goes into the Message-ID. */
  readonly from: string;
}

/**
 * A new mail is left to `deliverNow` of the one who wrote it for this long; after that, every worker may take it.
 * Otherwise a sweep could snatch it away, and the signup would have to answer "not sent" about a mail just being sent.
 */
const FIRST_SWEEP_MS = 10_000;

/** Renders a mail, ready to be stored. Throws as `Outbox.compose` says. */
export async function composeMail<N extends MailName>(
  mail: NewMail<N>,
  options: ComposeOptions,
): Promise<MailRecord> {
  const { id, nowMs } = options;
  const { data, sender, template, to } = mail;
  // Every template with its schema: with the first mail, not with the start.
  const { renderMail } = await import("./render.ts");
  const rendered = await renderMail(template, data, { ...options, sender, locale: mail.locale });
  const stopUrl = sender?.choicesUrl ?? mail.choicesUrl;
  assertSafe({ to, subject: rendered.subject });
  const expiresMs = "expires_at" in data ? fromInstant(data.expires_at) : nowMs + DEFAULT_LIFETIME_MS;
  return {
    id,
    state: "queued",
    attempts: 0,
    next_at: toInstant(nowMs + FIRST_SWEEP_MS),
    last_error: null,
    message: {
      to,
      template,
      ...rendered,
      message_id: `<${id}@${domainOf(senderAddress(options.from))}>`,
      ...("unsubscribe_url" in data ? { unsubscribe_url: data.unsubscribe_url } : {}),
      ...(stopUrl === undefined ? {} : { stop_url: stopUrl }),
      ...(sender === undefined ? {} : { from_name: asInlineText(sender.shop?.name ?? sender.store) }),
      ...replyTo("reply_to" in data ? data.reply_to : (sender?.shop?.email ?? undefined)),
    },
    link: "link" in data ? data.link : null,
    expires_at: toInstant(expiresMs),
    created_at: toInstant(nowMs),
    sent_at: null,
    purge_at: null,
  };
}

/** A mail that was sent, as a new one to the same reader. */
export function copyMail({ message, ...mail }: MailRecord, id: string, nowMs: number): MailRecord {
  const domain = message.message_id.slice(message.message_id.lastIndexOf("@"));
  return {
    ...mail,
    id,
    state: "queued",
    attempts: 0,
    next_at: toInstant(nowMs + FIRST_SWEEP_MS),
    last_error: null,
    message: { ...message, message_id: `<${id}${domain}` },
    created_at: toInstant(nowMs),
    sent_at: null,
    purge_at: null,
  };
}

/** A stranger's address that does not fit a header is left out: the mail itself matters more. */
const replyTo = (address: string | undefined): { reply_to?: string } =>
  address !== undefined && isPlainAddress(address) ? { reply_to: address } : {};
