import { allowsOrigin } from "../../../core/browser.ts";
import { checkFormToken, formSigner, spendFormToken } from "../../../core/form-token.ts";
import type { FormToken } from "../../../core/form-token.ts";
import { giveWay } from "../../../lib/slices.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { filed, HANDLED, submissions } from "../repository.ts";
import { typedText } from "../rules/contact-of.ts";
import type { SpamSignals } from "../rules/spam-score.ts";
import { NO_SIGNALS } from "../rules/spam-score.ts";
import { DUPLICATE_FROM, jaccard, shingles, textSignals } from "../rules/text-signals.ts";
import type { FormContent } from "../schema.ts";
import type { Answers } from "../schema/field.ts";
import { checkCaptcha } from "./captcha.ts";
import type { FormsWork } from "./work.ts";

/** Context of a submission before its answers are evaluated. */
export interface Arrival {
  readonly formId: string;
  readonly channel: "web" | "nojs" | "api" | "agent" | "import";
  readonly token: string | undefined;
  readonly captcha: string | undefined;
  readonly honeypot: boolean;
  /** `Origin` of the request; null without one. */
  readonly origin: string | null;
  /** Hashed IP address of the visitor; null for a server. */
  readonly visitor: string | null;
  /** The same object for every retry of the request. */
  readonly once: object;
}

/** A secret key may specify the context of a submission; a page may not. */
const isTrusted = ({ channel }: Pick<Arrival, "channel">): boolean =>
  channel === "api" || channel === "import";

export interface TokenJudgement {
  readonly verdict: SpamSignals["token"];
  readonly token: FormToken | null;
}

/** Verifies the form token without consuming it. */
export function judgeToken({ now, part, ports }: FormsWork, arrival: Arrival): TokenJudgement {
  if (arrival.token === undefined || arrival.token === "") {
    return { verdict: isTrusted(arrival) ? "not_asked" : "missing", token: null };
  }
  const { token, verdict } = checkFormToken(arrival.token, {
    form: arrival.formId,
    origin: arrival.origin,
    now,
    sign: formSigner(ports, part),
  });
  return { verdict: verdict === "bad" || verdict === "expired" ? "bad" : "ok", token };
}

/** Consumes the token; a consumed one is invalid. */
async function spend(work: FormsWork, { token, verdict }: TokenJudgement): Promise<SpamSignals["token"]> {
  if (verdict !== "ok" || token === null) return verdict;
  return (await spendFormToken(work.tx, token)) ? "ok" : "bad";
}

/** All signals of a submission. */
export async function gatherSignals(
  work: FormsWork,
  arrival: Arrival,
  judged: TokenJudgement,
  read: { readonly content: FormContent; readonly data: Answers; readonly email: string | null },
): Promise<SpamSignals> {
  const { content, data, email } = read;
  if (arrival.channel === "import") return NO_SIGNALS;
  const text = typedText(content.fields, data);
  const words = await textSignals(text, {
    locale: content.locales[0] ?? "en",
    blockedTerms: work.settings.blocked_terms,
    key: work.part,
  });
  const isKnownSender = await isKnown(work, email);
  const shared = {
    ...NO_SIGNALS,
    ...words,
    disposable: await isDisposable(email),
    known_customer: isKnownSender,
  };
  if (isTrusted(arrival) && arrival.token === undefined && arrival.captcha === undefined) return shared;
  const { captcha } = content.settings;
  const issued = judged.token?.iat ?? null;
  const token = await spend(work, judged);
  const age = issued === null || token === "bad" ? null : Math.floor(work.now / 1000) - issued;
  return {
    ...shared,
    honeypot: arrival.honeypot,
    captcha: await checkCaptcha(work, {
      formId: arrival.formId,
      captcha: isTrusted(arrival) && arrival.captcha === undefined ? "none" : captcha,
      answer: arrival.captcha,
      once: arrival.once,
    }),
    puzzle: captcha === "altcha",
    noscript: arrival.channel === "nojs",
    token,
    age_s: arrival.channel === "agent" ? null : age,
    origin: originOf(work, arrival),
    duplicate: await isDuplicate(work, arrival.formId, content, text),
  };
}

/** A server has no origin; a store without configured origins has none to compare with. */
function originOf(work: FormsWork, arrival: Arrival): SpamSignals["origin"] {
  if (isTrusted(arrival) || work.origins.origins.length === 0) return "not_asked";
  return isAllowedOrigin(work, arrival.origin) ? "ok" : "bad";
}

/** The store's own sites, and the pages of this service. */
export const isAllowedOrigin = ({ origins, ports }: FormsWork, origin: string | null): boolean =>
  origin !== null && (allowsOrigin(origins, origin) || origin === new URL(ports.baseUrl).origin);

/** A sender with an earlier reviewed submission. */
async function isKnown({ tx }: FormsWork, email: string | null): Promise<boolean> {
  if (email === null) return false;
  const value = filed("email", email);
  const page = await tx.peekPage(submissions, { index: "by", value, limit: 20 });
  for (const item of page.items) {
    await giveWay(tx.part);
    if (HANDLED.includes(item.value.status)) return true;
  }
  return false;
}

/** Earlier submissions that a new one is compared with. */
const COMPARED = 30;

/** Whether nearly the same text was submitted within a day. */
async function isDuplicate(
  { now, tx }: FormsWork,
  formId: string,
  { fields }: FormContent,
  text: string,
): Promise<boolean> {
  const own = shingles(text);
  if (own.size < 3) return false;
  const page = await tx.peekPage(submissions, { index: "by", value: formId, limit: COMPARED });
  for (const item of page.items) {
    await giveWay(tx.part);
    const { created_at: at, data, status } = item.value;
    if (status === "partial" || Date.parse(at) <= now - FORMS_TIMES.duplicateMs) continue;
    if (jaccard(own, shingles(typedText(fields, data))) >= DUPLICATE_FROM) return true;
  }
  return false;
}

/** Whether a mail address belongs to a disposable mail service. The list is loaded on first use. */
async function isDisposable(address: string | null): Promise<boolean> {
  const domain = address?.split("@").at(-1)?.toLowerCase();
  if (domain === undefined || domain === "") return false;
  const { isDisposableEmailDomain } = await import("disposable-email-domains-js");
  return isDisposableEmailDomain(domain);
}
