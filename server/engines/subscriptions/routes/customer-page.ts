import { shopNameOr } from "../../../core/shop.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { showLeave } from "../../../core/page.ts";
import { linkPages } from "../../../core/link-page.ts";
import type { Reply } from "../../../core/route.ts";
import { showDate, showLines, showMoney } from "../../../lib/show.ts";
import { openAttempt } from "../rules/agenda.ts";
import { upcomingCycle } from "../rules/preview.ts";
import { selfServiceUrl } from "../rules/self-service.ts";
import { showInterval, showMethod } from "../rules/show.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { usableMethods } from "../services/attempts.ts";
import type { Book } from "../services/book.ts";
import { findCardDesk } from "../services/cards.ts";
import { invoiceIdOf } from "../rules/new-invoice.ts";
import { readCharges } from "../services/covered.ts";
import { failedCharge, isLive, mayPayNow } from "./customer-actions.ts";

const CHARGES_SHOWN = 12;
const { link, page: dressed } = linkPages();
export { link };

/** Sends the browser to a page of the gateway or the bank. */
export const leavePage = (url: string): Reply<never> => showLeave(dressed, url);

/** The page on which a customer manages a contract; `message` is the result of what was just done. */
export async function customerPage(book: Book, token: string, message: string | null): Promise<Reply<never>> {
  const { contract, settings } = book;
  const path = `/api/public/subscriptions/${token}`;
  const isOpen = isLive(contract);
  return dressed({
    title: "Your subscription",
    body: html`<main>
      <p class="soft">${shopNameOr(settings.shop_name)}</p>
      <h1>Your subscription</h1>
      ${message === null ? null : html`<p class="note good" role="status">${message}</p>`}
      ${problem(book, path)} ${facts(book)} ${isOpen ? await payment(book, path) : null}
      ${isOpen ? delivery(book, path) : null} ${await history(book, path)}
      ${isOpen ? changes(book, path) : null}
    </main>`,
  });
}

const button = (path: string, action: string, label: string, kind = ""): Html =>
  html`<form method="post" action="${path}">
    <button class="${kind}" name="action" value="${action}">${label}</button>
  </form>`;

/** What is wrong with a payment, and the one thing that solves it. */
function problem(book: Book, path: string): Html | null {
  const waiting = [...book.charges.values()].find(({ status }) => status === "requires_action");
  if (waiting !== undefined) {
    const url = openAttempt(waiting)?.action_url ?? null;
    const isOurs = url === selfServiceUrl(book.env.ports, book.env.part, book.contract.id);
    return html`<section class="note bad">
      <p>Your bank asks you to confirm the payment of ${amountOf(waiting)}.</p>
      ${isOurs ? button(path, "confirm", "Confirm the payment") : null}
      ${isOurs || url === null ? null : html`<p><a href="${url}" rel="noreferrer">Confirm the payment</a></p>`}
    </section>`;
  }
  const failed = failedCharge(book);
  if (failed === null) return null;
  const due = showDate(localDateAt(fromInstant(failed.due_at), book.contract.timezone));
  const reason = REASONS[failed.dunning.category ?? "soft"];
  return html`<section class="note bad">
    <p>The payment of ${amountOf(failed)}, due on ${due}, failed: ${reason}</p>
    ${mayPayNow(book) ? button(path, "pay_now", "Try the payment again") : null}
  </section>`;
}

const REASONS: Readonly<Record<NonNullable<Charge["dunning"]["category"]>, string>> = {
  hard: "the card was declined. Use another card below.",
  method: "there is no card that can be charged. Add one below.",
  soft: "the bank declined it for now. It is tried again; you can also use another card.",
  action: "it was not confirmed at the bank. It is tried again; you can also use another card.",
  inventory: "a product is out of stock. It is tried again.",
  system: "the payment service could not be reached. It is tried again.",
  config: "the shop could not charge this card. Use another card, or contact the shop.",
};

const amountOf = ({ amount_due: amount, currency }: Charge): string => showMoney(amount, currency);

function facts({ contract, env }: Book): Html {
  const ends = contract.cancellation === null ? null : showDate(contract.cancellation.effective_on);
  const hasNext = contract.next_billing_date !== null && ends === null;
  const next = hasNext ? upcomingCycle(contract, contract.next_cycle, env) : null;
  const fact = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return html`<dl>
    ${fact("What", showLines(contract.lines))} ${fact("How often", showInterval(contract.billing))}
    ${fact("State", stateOf(contract))} ${ends === null ? null : fact("Ends on", ends)}
    ${
      next === null
        ? null
        : fact(
            "Next payment",
            `${showMoney(next.amount_due, contract.currency)} on ${showDate(next.billing_date)}`,
          )
    }
    ${contract.credit === 0 ? null : fact("Credit", showMoney(contract.credit, contract.currency))}
  </dl>`;
}

function stateOf({ status, pause, trial_ends_on: trial }: Contract): string {
  if (status === "paused" && pause?.resume_on) return `Paused until ${showDate(pause.resume_on)}`;
  if (status === "trialing" && trial !== null) return `Trial until ${showDate(trial)}`;
  return STATES[status];
}

const STATES: Readonly<Record<Contract["status"], string>> = {
  pending: "Waiting for the first payment",
  trialing: "Trial",
  active: "Active",
  past_due: "A payment is overdue",
  unpaid: "Unpaid",
  paused: "Paused",
  cancelled: "Ended",
  expired: "Ended",
};

/** How it is paid, what else the customer has to pay with, and where to add a card. */
async function payment(book: Book, path: string): Promise<Html> {
  const { contract, settings } = book;
  if (contract.collection === "send_invoice")
    return html`<h2>Payment</h2>
      <p>By invoice.</p>`;
  const methods = await usableMethods(book);
  const own = methods.find(({ id }) => id === contract.payment_method_id);
  const others = methods.filter((method) => method !== own);
  const url = settings.payment_page_url;
  const label = own === undefined ? "Add a card" : "Use another card";
  const desk = await findCardDesk(book);
  return html`<h2>Payment</h2>
    <p>${own === undefined ? "No card is saved that can be charged." : `Paid with ${showMethod(own)}.`}</p>
    ${others.map(
      (method) =>
        html`<form method="post" action="${path}">
          <input type="hidden" name="payment_method_id" value="${method.id}" />
          <button class="quiet" name="action" value="pay_with">Pay with ${showMethod(method)}</button>
        </form>`,
    )}
    ${desk === null ? null : button(path, "add_card", label, own === undefined ? "" : "quiet")}
    ${desk !== null || url === null ? null : html`<p><a href="${url}">${label}</a></p>`}`;
}

function delivery({ contract }: Book, path: string): Html | null {
  if (contract.delivery === null) return null;
  return html`<h2>Delivery</h2>
    <form method="post" action="${path}">
      <label for="address">Address</label>
      <textarea id="address" name="address" rows="4" maxlength="500" required autocomplete="street-address">
${contract.delivery.address}</textarea>
      <button class="quiet" name="action" value="change_address">Save the address</button>
    </form>`;
}

async function history(book: Book, path: string): Promise<Html | null> {
  const charges = await readCharges(book.tx, book.contract);
  const known = charges.map((charge) => book.charges.get(charge.id) ?? charge).slice(0, CHARGES_SHOWN);
  if (known.length === 0) return null;
  const dateOf = ({ paid_at: paidAt, due_at: dueAt }: Charge): string =>
    showDate(localDateAt(fromInstant(paidAt ?? dueAt), book.contract.timezone));
  return html`<h2>Payments</h2>
    <table>
      <thead>
        <tr>
          <th>Date</th>
          <th>State</th>
          <th class="n">Amount</th>
        </tr>
      </thead>
      <tbody>
        ${known.map(
          (charge) =>
            html`<tr>
              <td>${dateOf(charge)}</td>
              <td>${CHARGE_STATES[charge.status]}</td>
              <td class="n">
                ${
                  charge.paid_at === null || charge.amount_due === 0
                    ? amountOf(charge)
                    : html`<a href="${path}/invoices/${invoiceIdOf(charge.id)}">${amountOf(charge)}</a>`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

const CHARGE_STATES: Readonly<Record<Charge["status"], string>> = {
  scheduled: "Scheduled",
  processing: "In progress",
  pending_manual: "Awaiting payment",
  requires_action: "Needs your confirmation",
  unknown: "In progress",
  retrying: "Failed",
  succeeded: "Paid",
  partially_refunded: "Partly refunded",
  refunded: "Refunded",
  exhausted: "Not paid",
  skipped: "Skipped",
  voided: "Not charged",
};

function changes({ contract, today }: Book, path: string): Html {
  const { status, cancellation } = contract;
  if (cancellation !== null) return button(path, "keep", "Keep my subscription");
  const mayPause = status === "active" || status === "trialing" || status === "past_due";
  return html`<h2>Change the subscription</h2>
    ${status === "active" ? button(path, "skip", "Skip the next delivery", "quiet") : null}
    ${status === "paused" ? button(path, "resume", "Resume") : null}
    ${
      mayPause
        ? html`<form method="post" action="${path}">
            <label for="resume_on">Pause until (optional)</label>
            <input type="date" id="resume_on" name="resume_on" min="${today}" />
            <button class="quiet" name="action" value="pause">Pause</button>
          </form>`
        : null
    }
    ${button(path, "cancel", "Cancel the subscription", "quiet")}`;
}
