import { z } from "zod";

import { linkParams, requireLink, unknownLink, workIn } from "../../../core/link-page.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { acceptQuote, closeQuote, contactOf, viewQuote } from "../services/quote-steps.ts";
import { openDepositPage, payableNow, takePagePayment } from "../services/deposit-payments.ts";
import { showLeave } from "../../../core/face.ts";
import { shopName } from "../services/work.ts";
import { accounts, orders, quotes, quoteVersions, versionId } from "../repository.ts";
import { chooseLines, isEnough } from "../rules/choose-lines.ts";
import { answerRefusal } from "../rules/accept-quote.ts";
import { isExpired } from "../rules/quote-state.ts";
import { Email, Text } from "../schema/parts.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { onLink, reasonOf } from "./env.ts";
import { deadEnd, link } from "./page.ts";
import type { PageWork } from "./page.ts";
import { choiceOf, Form, quotePage } from "./quote-page.ts";
import type { Linked } from "./quote-page.ts";

const show = defineOpenRoute({
  id: "public.quotes.show",
  method: "GET",
  path: "/quotes/:token",
  summary: "The page on which a customer reads a quote and accepts it",
  ...link("quote"),
  // The gateway adds parameters of its own when the customer comes back.
  query: z.looseObject({ session_id: z.string().max(1000).optional() }),
  example: { params: linkParams },
  async handle({ params: { token }, query }, ctx) {
    if (query.session_id !== undefined) await takePayment(ctx, token, query.session_id);
    return onQuote(ctx, token, async (work, linked) => {
      viewQuote(work, linked.stored);
      return quotePage(work, linked, {});
    });
  },
});

const answer = defineOpenRoute({
  id: "public.quotes.answer",
  method: "POST",
  path: "/quotes/:token",
  summary: "Choose optional lines of a quote, accept or decline it",
  ...link("quote"),
  body: Form,
  form: true,
  example: { params: linkParams, body: { action: "decline", hash: "9b0f2a7d" } },
  async handle({ params: { token }, body }, ctx) {
    const url = body.action === "pay" ? await paymentUrl(ctx, token) : null;
    if (url !== null) return showLeave(ctx.header("accept-language"), url);
    return onQuote(ctx, token, (work, linked) => ANSWERS[body.action](work, linked, body));
  },
});

/** The customer comes back from the page of the gateway. The event of the gateway records the same once. */
async function takePayment(ctx: OpenCtx, token: string, sessionId: string): Promise<void> {
  const work = await workIn(ctx, requireLink(ctx, "catering.quote", token).part);
  const payment = await ctx.ports.engines.readPagePayment(work, sessionId);
  if (payment !== null) await takePagePayment(work, payment);
}

async function paymentUrl(ctx: OpenCtx, token: string): Promise<string | null> {
  const { id, part } = requireLink(ctx, "catering.quote", token);
  const quote = await ctx.runTx(part, (tx) => tx.get(quotes, id));
  const orderId = quote?.value.order_id ?? null;
  if (orderId === null) return null;
  const work = await workIn(ctx, part);
  return openDepositPage(work, orderId, `${ctx.ports.baseUrl}/api/public/quotes/${token}`);
}

/** Opens the quote and version of a link; the page says so when it is not the latest or no longer valid. */
async function onQuote(
  ctx: OpenCtx,
  token: string,
  handle: (work: PageWork, linked: Linked) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "quote", token, async (work, [quoteId = "", v = ""]) => {
    const { tx } = work;
    const stored = await tx.get(quotes, quoteId);
    const version = await tx.get(quoteVersions, versionId(quoteId, Number(v)));
    if (stored === null || version === null) throw unknownLink();
    const closed = closedPage(work, stored.value, version.value);
    if (closed !== null) return closed;
    const { account_id: accountId } = stored.value;
    const account = accountId === null ? null : (await tx.require(accounts, accountId)).value;
    const contact = await contactOf(work, stored.value);
    const { order_id: orderId } = stored.value;
    const order = orderId === null ? null : ((await tx.get(orders, orderId))?.value ?? null);
    const hasPaymentPage = await ctx.ports.engines.hasPaymentPage(tx);
    const linked = { stored, version: version.value, account, order, hasPaymentPage, contact, token };
    return handle(work, linked);
  });
}

function closedPage(work: PageWork, quote: Quote, version: QuoteVersion): Reply<never> | null {
  if (quote.current_version !== version.v) {
    const text = quote.status === "draft" ? "catering.newer_draft" : "catering.newer_sent";
    return deadEnd(work, 409, ["catering.newer_title", text], { number: quote.number });
  }
  if (quote.status === "withdrawn") {
    const shop = shopName(work.settings, work.face);
    return deadEnd(work, 410, ["catering.withdrawn_title", "catering.withdrawn_text"], { shop });
  }
  if (isExpired(quote, work.now)) {
    const until = work.face.instant(quote.valid_until, quote.event.timezone);
    return deadEnd(work, 410, ["catering.ended_title", "catering.ended_text"], { until });
  }
  return null;
}

/** Puts an optional line in or leaves it out: the page is shown again with what it then costs. Nothing is stored. */
function choose(work: PageWork, linked: Linked, form: Form): Promise<Reply<never>> {
  const { chosen } = choiceOf(linked, form);
  const isIn = chosen.includes(form.toggle);
  const ids = isIn ? chosen.filter((id) => id !== form.toggle) : [...chosen, form.toggle];
  const next = chooseLines(linked.version, ids);
  if (isEnough(next)) return quotePage(work, linked, { form: { ...form, chosen: next.chosen.join() } });
  const amount = work.face.money(next.content.policy.min_spend, next.content.currency);
  return quotePage(work, linked, { form, wrong: work.face.say("catering.min_spend", { amount }) });
}

async function accept(work: PageWork, linked: Linked, form: Form): Promise<Reply<never>> {
  const { stored, version } = linked;
  const choice = choiceOf(linked, form);
  const name = Text.safeParse(form.name);
  const email = Email.safeParse(form.email.trim());
  const fault =
    (name.success ? null : "catering.type_name") ??
    (email.success ? null : "catering.type_email") ??
    (form.agree === "yes" ? null : "catering.tick") ??
    (isEnough(choice) ? null : "catering.too_little");
  if (fault !== null || !name.success || !email.success)
    return quotePage(work, linked, { wrong: fault === null ? null : work.face.say(fault), form });
  try {
    const said = {
      v: version.v,
      hash: form.hash,
      name: name.data,
      email: email.data,
      po_number: form.po_number.trim().slice(0, 60) || null,
      cost_centre: form.cost_centre.trim().slice(0, 40) || null,
      by: "link" as const,
    };
    const accepted = await acceptQuote(work, stored, said, { choice });
    const { order_id: orderId } = accepted.value;
    const order = orderId === null ? null : (await work.tx.require(orders, orderId)).value;
    return quotePage(work, { ...linked, stored: accepted, order }, {});
  } catch (error) {
    return quotePage(work, linked, { wrong: reasonIn(work, reasonOf(error)), form, status: 409 });
  }
}

function decline(work: PageWork, linked: Linked, form: Form): Promise<Reply<never>> {
  const { stored, version } = linked;
  const refusal = answerRefusal(stored.value, { v: version.v, hash: form.hash }, work.now);
  if (refusal !== null && stored.value.status !== "declined") {
    return quotePage(work, linked, { wrong: reasonIn(work, refusal), form, status: 409 });
  }
  if (stored.value.acceptance !== null) {
    return quotePage(work, linked, { wrong: work.face.say("catering.accepted_before"), status: 409 });
  }
  const closed = closeQuote(work, stored, { action: "decline", reason: form.reason });
  return quotePage(work, { ...linked, stored: closed }, {});
}

/** Where no page could be opened: the button is shown again with bank details, or what was paid meanwhile. */
const pay = (work: PageWork, linked: Linked): Promise<Reply<never>> =>
  quotePage(work, linked, {
    wrong: work.face.say(
      linked.order === null || payableNow(linked.order, work.now) === 0
        ? "catering.nothing_due"
        : "payment_page_failed",
    ),
    status: 409,
  });

/** Refusals are described in English; in other languages the page asks to look again. */
const reasonIn = ({ face }: PageWork, { detail }: { readonly detail: string }): string =>
  face.locale.startsWith("en") ? detail : face.say("refusal.conflict.text");

const ANSWERS = { accept, decline, choose, pay };

export const publicQuoteRoutes = [show, answer];
