import { shopNameOr } from "../../../core/shop.ts";
import { z } from "zod";

import { fail, Problem } from "../../../lib/errors.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { createPage } from "../../../core/page.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Refused } from "../../../core/route.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { showDate, showLines, showMoney } from "../../../lib/show.ts";
import { Id } from "../../../core/schema.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { OpenedBook } from "../services/book.ts";
import { closeBook, openBook } from "../services/book.ts";
import { payWith, usableMethods } from "../services/attempts.ts";
import { resume } from "../services/lifecycle.ts";
import { contracts } from "../repository.ts";
import { isCoolingOff } from "../rules/compliance.ts";
import { upcomingCycle } from "../rules/preview.ts";
import { openToken } from "../rules/self-service.ts";
import { showInterval, showMethod } from "../rules/show.ts";
import type { Contract } from "../schema.ts";
import { cancelBook, pauseBook } from "./contract-actions.ts";
import { overrideNext } from "./cycles.ts";
import { LIVE, missing, requireStatus } from "./env.ts";

const Params = z.object({ token: z.string().max(300) });
const params = { token: "c3RvXzAxLnN1Yl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };
const Form = z.strictObject({
  action: z.enum(["skip", "pause", "resume", "cancel", "pay_with"]),
  payment_method_id: Id.optional(),
});
type Form = z.output<typeof Form>;
type Action = Exclude<Form["action"], "pay_with">;

const show = defineOpenRoute({
  id: "public.subscriptions.show",
  method: "GET",
  path: "/subscriptions/:token",
  summary: "The page on which a customer looks after a subscription",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  errors: [missing],
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) => onContract(ctx, token, (book) => page(book, token, null)),
});

const act = defineOpenRoute({
  id: "public.subscriptions.act",
  method: "POST",
  path: "/subscriptions/:token",
  summary: "Skip the next cycle, pause, resume or cancel: one press of a button",
  params: Params,
  body: Form,
  data: z.string(),
  rawType: "text/html",
  refusal,
  form: true,
  errors: [missing],
  hidden: true,
  example: { params, body: { action: "skip" } },
  handle: ({ params: { token }, body }, ctx) =>
    onContract(ctx, token, async (book) => {
      const said = await carryOut(book, body);
      await closeBook(book);
      return page(book, token, said);
    }),
});

/** Opens the contract of a link; 404 for a link that was not issued here, or whose contract was deleted. */
async function onContract(
  ctx: OpenCtx,
  token: string,
  work: (book: OpenedBook) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = openToken(ctx.ports, token);
  if (target === null)
    throw fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");
  const { part, contractId } = target;
  return ctx.runTx(part, async (tx) => {
    const stored = await tx.require(contracts, contractId);
    const now = (await readTestClock(tx)) ?? ctx.now;
    return work(await openBook({ now, part, newId: ctx.newId, ports: ctx.ports }, tx, stored));
  });
}

/** Does what a button says; what the state does not allow is shown on the page, not as an error. */
async function carryOut(book: OpenedBook, form: Form): Promise<string> {
  const { action } = form;
  try {
    if (action === "pay_with") return await choose(book, form.payment_method_id ?? "");
    if (action === "skip") {
      const date = overrideNext(book);
      return `The delivery of ${showDate(date)} is skipped.`;
    }
    if (action === "pause") {
      pauseBook(book, { resume_on: null, mode: "keep_calendar" });
      return "Your subscription is paused. Nothing is charged until you resume it.";
    }
    if (action === "resume") {
      requireStatus(book.contract, ["paused"], "resumed");
      resume(book);
      return "Your subscription is active again.";
    }
    const isFree = isCoolingOff(book.contract, book.today);
    const refund = await cancelBook(
      book,
      {
        at: isFree ? "now" : "cycle_end",
        reason_code: isFree ? "cooling_off" : "other",
        comment: "",
        refund: isFree ? "full" : "none",
      },
      { by: "customer", mayForce: false },
    );
    return refund > 0
      ? `Cancelled. ${showMoney(refund, book.contract.currency)} is on its way back to you.`
      : "Cancelled. A mail confirms it.";
  } catch (error) {
    if (error instanceof Problem && error.type === "conflict") return error.detail;
    throw error;
  }
}

async function choose(book: OpenedBook, methodId: string): Promise<string> {
  requireStatus(book.contract, LIVE, "changed");
  const method = (await usableMethods(book)).find(({ id }) => id === methodId);
  if (method === undefined) return "This payment method can no longer be used.";
  payWith(book, method.id);
  book.emit("contract.updated", null, { change: "payment_method_id" });
  return `From now on ${showMethod(method)} is charged.`;
}

const BUTTONS: Readonly<Record<Action, string>> = {
  skip: "Skip the next delivery",
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel the subscription",
};

function actionsOf(contract: Contract): Action[] {
  if (contract.status === "cancelled" || contract.status === "expired" || contract.cancellation !== null)
    return [];
  if (contract.status === "paused") return ["resume", "cancel"];
  if (contract.status === "active") return ["skip", "pause", "cancel"];
  return contract.status === "trialing" || contract.status === "past_due" ? ["pause", "cancel"] : ["cancel"];
}

async function page(book: OpenedBook, token: string, said: string | null): Promise<Reply<never>> {
  const { contract, settings, env } = book;
  const next = contract.next_billing_date === null ? null : upcomingCycle(contract, contract.next_cycle, env);
  const buttons = actionsOf(contract).map(
    (action) =>
      html`<form method="post" action="/api/public/subscriptions/${token}">
        <button name="action" value="${action}">${BUTTONS[action]}</button>
      </form>`,
  );
  const ends = contract.cancellation === null ? null : showDate(contract.cancellation.effective_on);
  return document(
    html`<h1>Your subscription</h1>
      ${said === null ? null : html`<p role="status"><strong>${said}</strong></p>`}
      <p>${shopNameOr(settings.shop_name)}</p>
      <dl>
        <dt>What</dt>
        <dd>${showLines(contract.lines)}</dd>
        <dt>How often</dt>
        <dd>${showInterval(contract.billing)}</dd>
        <dt>State</dt>
        <dd>${contract.status.replace("_", " ")}</dd>
        ${
          ends === null
            ? null
            : html`<dt>Ends on</dt>
                <dd>${ends}</dd>`
        }
        ${
          next === null || ends !== null
            ? null
            : html`<dt>Next payment</dt>
                <dd>${showMoney(next.amount_due, contract.currency)} on ${showDate(next.billing_date)}</dd>`
        }
      </dl>
      ${LIVE.some((status) => status === contract.status) ? await payment(book, token) : null} ${buttons}`,
  );
}

/** How it is paid for, what else the customer has to pay with, and where to add more. */
async function payment(book: OpenedBook, token: string): Promise<Html> {
  const { contract, settings } = book;
  const methods = await usableMethods(book);
  const own = methods.find(({ id }) => id === contract.payment_method_id);
  const others = methods.filter((method) => method !== own);
  const url = settings.payment_page_url;
  return html`<h2>Payment</h2>
    <p>${own === undefined ? "There is no payment method." : showMethod(own)}</p>
    ${others.map(
      (method) =>
        html`<form method="post" action="/api/public/subscriptions/${token}">
          <input type="hidden" name="payment_method_id" value="${method.id}" />
          <button name="action" value="pay_with">Pay with ${showMethod(method)}</button>
        </form>`,
    )}
    ${url === null ? null : html`<p><a href="${url}">Add another card</a></p>`}`;
}

function refusal(refused: Refused): Reply<never> {
  return showRefusal(dressed, refused);
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .75rem}button{font:inherit;padding:.6rem 1rem;margin:.25rem 0}form{display:inline}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}}";
const dressed = createPage(STYLE);
const document = (body: Html): Reply<never> =>
  dressed({ title: "Your subscription", body: html`<main>${body}</main>` });

export const linkRoutes = [show, act];
