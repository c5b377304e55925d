import { z } from "zod";

import { linkParams, requireLink, unknownLink } from "../../../core/link-page.ts";
import type { PaymentWork } from "../../../core/ports.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { acceptQuote, closeQuote, contactOf, viewQuote } from "../services/quote-steps.ts";
import { openDepositPage, payableNow, takePagePayment } from "../services/deposit-payments.ts";
import type { World } from "../services/world.ts";
import { shopName } from "../services/world.ts";
import { accounts, orders, quotes, quoteVersions, versionId } from "../repository.ts";
import { chooseLines, isEnough } from "../rules/choose-lines.ts";
import { answerRefusal } from "../rules/accept-quote.ts";
import { isExpired } from "../rules/quote-state.ts";
import { showMoney } from "../../../lib/show.ts";
import { showInstant } from "../rules/show.ts";
import { Email, Text } from "../schema/parts.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { onLink, reasonOf } from "./env.ts";
import { deadEnd, leavePage, link } from "./page.ts";
import { choiceOf, Form, quotePage } from "./quote-page.ts";
import type { Linked } from "./quote-page.ts";

const show = defineOpenRoute({
  id: "public.quotes.show",
  method: "GET",
  path: "/quotes/:token",
  summary: "The page on which a customer reads a quote and accepts it",
  ...link,
  // The gateway adds parameters of its own when the customer comes back.
  query: z.looseObject({ session_id: z.string().max(1000).optional() }),
  example: { params: linkParams },
  async handle({ params: { token }, query }, ctx) {
    if (query.session_id !== undefined) await takePayment(ctx, token, query.session_id);
    return onQuote(ctx, token, async (world, linked) => {
      viewQuote(world, linked.stored);
      return quotePage(world, linked, {});
    });
  },
});

const answer = defineOpenRoute({
  id: "public.quotes.answer",
  method: "POST",
  path: "/quotes/:token",
  summary: "Choose optional lines of a quote, accept or decline it",
  ...link,
  body: Form,
  form: true,
  example: { params: linkParams, body: { action: "decline", hash: "9b0f2a7d" } },
  async handle({ params: { token }, body }, ctx) {
    const url = body.action === "pay" ? await paymentUrl(ctx, token) : null;
    if (url !== null) return leavePage(url);
    return onQuote(ctx, token, (world, linked) => ANSWERS[body.action](world, linked, body));
  },
});

/** What payments need of a link: gateways are asked between transactions. */
async function paymentWork(ctx: OpenCtx, part: string): Promise<PaymentWork> {
  const { newId, ports, runTx } = ctx;
  return { now: (await runTx(part, readTestClock)) ?? ctx.now, part, newId, ports, runTx };
}

/** The customer comes back from the page of the gateway. The event of the gateway records the same once. */
async function takePayment(ctx: OpenCtx, token: string, sessionId: string): Promise<void> {
  const work = await paymentWork(ctx, requireLink(ctx, "catering.quote", token).part);
  const payment = await ctx.ports.engines.readPagePayment(work, sessionId);
  if (payment !== null) await takePagePayment(work, payment);
}

async function paymentUrl(ctx: OpenCtx, token: string): Promise<string | null> {
  const { id, part } = requireLink(ctx, "catering.quote", token);
  const quote = await ctx.runTx(part, (tx) => tx.get(quotes, id));
  const orderId = quote?.value.order_id ?? null;
  if (orderId === null) return null;
  const work = await paymentWork(ctx, part);
  return openDepositPage(work, orderId, `${ctx.ports.baseUrl}/api/public/quotes/${token}`);
}

/** Opens the quote and version of a link; the page says so when it is not the latest or no longer valid. */
async function onQuote(
  ctx: OpenCtx,
  token: string,
  work: (world: World, linked: Linked) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "quote", token, async (world, [quoteId = "", v = ""]) => {
    const { tx } = world;
    const stored = await tx.get(quotes, quoteId);
    const version = await tx.get(quoteVersions, versionId(quoteId, Number(v)));
    if (stored === null || version === null) throw unknownLink();
    const closed = closedPage(world, stored.value, version.value);
    if (closed !== null) return closed;
    const { account_id: accountId } = stored.value;
    const account = accountId === null ? null : (await tx.require(accounts, accountId)).value;
    const contact = await contactOf(world, stored.value);
    const { order_id: orderId } = stored.value;
    const order = orderId === null ? null : ((await tx.get(orders, orderId))?.value ?? null);
    const hasPaymentPage = await ctx.ports.engines.hasPaymentPage(tx);
    const linked = { stored, version: version.value, account, order, hasPaymentPage, contact, token };
    return work(world, linked);
  });
}

function closedPage(world: World, quote: Quote, version: QuoteVersion): Reply<never> | null {
  if (quote.current_version !== version.v) {
    return deadEnd(
      409,
      "There is a newer version of this quote",
      `Quote ${quote.number} was changed after this link was sent. ${
        quote.status === "draft"
          ? "You will get the new version by mail."
          : "Use the link in the latest mail."
      }`,
    );
  }
  if (quote.status === "withdrawn") {
    return deadEnd(410, "This quote was withdrawn", `Ask ${shopName(world.settings)} for a new one.`);
  }
  if (isExpired(quote, world.now)) {
    const until = showInstant(quote.valid_until, quote.event.timezone);
    return deadEnd(410, "This quote has ended", `It was valid until ${until}. Ask for a new one.`);
  }
  return null;
}

/** Puts an optional line in or leaves it out: the page is shown again with what it then costs. Nothing is stored. */
function choose(world: World, linked: Linked, form: Form): Promise<Reply<never>> {
  const { chosen } = choiceOf(linked, form);
  const isIn = chosen.includes(form.toggle);
  const ids = isIn ? chosen.filter((id) => id !== form.toggle) : [...chosen, form.toggle];
  const next = chooseLines(linked.version, ids);
  if (isEnough(next)) return quotePage(world, linked, { form: { ...form, chosen: next.chosen.join() } });
  const least = showMoney(next.content.policy.min_spend, next.content.currency);
  return quotePage(world, linked, { form, wrong: `The food must cost at least ${least}.` });
}

async function accept(world: World, linked: Linked, form: Form): Promise<Reply<never>> {
  const { stored, version } = linked;
  const choice = choiceOf(linked, form);
  const name = Text.safeParse(form.name);
  const email = Email.safeParse(form.email.trim());
  const wrong =
    (name.success ? null : "Type your name.") ??
    (email.success ? null : "Type your e-mail address.") ??
    (form.agree === "yes" ? null : "Tick the box to say that you accept.") ??
    (isEnough(choice) ? null : "Less than the least that can be ordered was chosen.");
  if (wrong !== null || !name.success || !email.success) return quotePage(world, linked, { wrong, form });
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
    const accepted = await acceptQuote(world, stored, said, { choice });
    const { order_id: orderId } = accepted.value;
    const order = orderId === null ? null : (await world.tx.require(orders, orderId)).value;
    return quotePage(world, { ...linked, stored: accepted, order }, {});
  } catch (error) {
    return quotePage(world, linked, { wrong: reasonOf(error).detail, form, status: 409 });
  }
}

function decline(world: World, linked: Linked, form: Form): Promise<Reply<never>> {
  const { stored, version } = linked;
  const refusal = answerRefusal(stored.value, { v: version.v, hash: form.hash }, world.now);
  if (refusal !== null && stored.value.status !== "declined") {
    return quotePage(world, linked, { wrong: refusal.detail, form, status: 409 });
  }
  if (stored.value.acceptance !== null) {
    return quotePage(world, linked, { wrong: "The quote was accepted already.", status: 409 });
  }
  const closed = closeQuote(world, stored, { action: "decline", reason: form.reason });
  return quotePage(world, { ...linked, stored: closed }, {});
}

/** Where no page could be opened: the button is shown again with bank details, or what was paid meanwhile. */
const pay = (world: World, linked: Linked): Promise<Reply<never>> =>
  quotePage(world, linked, {
    wrong:
      linked.order === null || payableNow(linked.order, world.now) === 0
        ? "Nothing is due at the moment."
        : "The payment page could not be opened. Try again later.",
    status: 409,
  });

const ANSWERS = { accept, decline, choose, pay };

export const publicQuoteRoutes = [show, answer];
