import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import type { Face } from "../../../core/face.ts";
import type { MessageKey } from "../../../core/words.ts";
import type { Reply } from "../../../core/reply.ts";
import { showLines } from "../../../lib/show.ts";
import { openAttempt } from "../rules/agenda.ts";
import { nextPaidCycle } from "../rules/preview.ts";
import { selfServiceUrl } from "../rules/self-service.ts";
import { showInterval, showMethod } from "../rules/calendar.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { usableMethods } from "../services/attempts.ts";
import type { ContractWork } from "../services/contract-work.ts";
import { findCardSetup } from "../services/cards.ts";
import { subjectOf } from "../services/invoices.ts";
import { invoiceIdOf } from "../rules/new-invoice.ts";
import { charges } from "../repository.ts";
import { failedCharge, isLive, mayPayNow } from "./customer-actions.ts";
import type { Said } from "./customer-actions.ts";

const CHARGES_SHOWN = 12;
/** What the parts of the page are made of. */
interface CustomerPage {
  readonly opened: ContractWork;
  readonly face: Face;
  /** Where its forms post to. */
  readonly path: string;
}

/** The page on which a customer manages a contract; `message` is the result of what was just done. */
export async function customerPage(
  face: Face,
  opened: ContractWork,
  token: string,
  message: Said | null,
): Promise<Reply<never>> {
  const isOpen = isLive(opened.contract);
  const shown = { opened, face, path: `/api/public/subscriptions/${token}` };
  return face.page({
    title: face.say("subscription.title"),
    body: html`<main>
      <h1>${face.say("subscription.title")}</h1>
      ${message === null ? null : said(message)} ${problem(shown)} ${facts(shown)}
      ${isOpen ? await payment(shown) : null} ${isOpen ? delivery(shown) : null} ${await history(shown)}
      ${isOpen ? changes(shown) : null}
    </main>`,
  });
}

const said = ({ isDone, text }: Said): Html =>
  isDone
    ? html`<p class="note good" role="status">${text}</p>`
    : html`<p class="note bad" role="alert">${text}</p>`;

const button = (path: string, action: string, label: string, kind = ""): Html =>
  html`<form method="post" action="${path}">
    <button class="${kind}" name="action" value="${action}">${label}</button>
  </form>`;

/** What is wrong with a payment, and the one thing that solves it. */
function problem({ opened, face, path }: CustomerPage): Html | null {
  const { date, money, say } = face;
  const amountOf = ({ amount_due: amount, currency }: Charge): string => money(amount, currency);
  const waiting = [...opened.charges.values()].find(({ status }) => status === "requires_action");
  if (waiting !== undefined) {
    const url = openAttempt(waiting)?.action_url ?? null;
    const isOurs = url === selfServiceUrl(opened.ports, opened.part, opened.contract.id);
    return html`<section class="note bad">
      <p>${say("subscription.bank_asks", { amount: amountOf(waiting) })}</p>
      ${isOurs ? button(path, "confirm", say("subscription.confirm_payment")) : null}
      ${
        isOurs || url === null
          ? null
          : html`<p><a href="${url}" rel="noreferrer">${say("subscription.confirm_payment")}</a></p>`
      }
    </section>`;
  }
  const failed = failedCharge(opened);
  if (failed === null) return null;
  const due = date(localDateAt(fromInstant(failed.due_at), opened.contract.timezone));
  return html`<section class="note bad">
    <p>
      ${say("subscription.failed", { amount: amountOf(failed), date: due })}
      ${say(`subscription.reason_${failed.dunning.category ?? "soft"}`)}
    </p>
    ${mayPayNow(opened) ? button(path, "pay_now", say("subscription.pay_again")) : null}
  </section>`;
}

function facts({ opened, face }: CustomerPage): Html {
  const { contract } = opened;
  const { date, money, say } = face;
  const ends = contract.cancellation === null ? null : date(contract.cancellation.effective_on);
  const hasNext = contract.next_billing_date !== null && ends === null;
  const next = hasNext ? nextPaidCycle(contract, opened) : null;
  const fact = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return html`<dl>
    ${fact(say("subscription.what"), showLines(contract.lines))}
    ${fact(say("subscription.how_often"), showInterval(face, contract.billing))}
    ${fact(say("subscription.state"), stateOf(face, contract))}
    ${ends === null ? null : fact(say("subscription.ends_on"), ends)}
    ${
      next === null
        ? null
        : fact(
            say("subscription.next_payment"),
            say("subscription.amount_on", {
              amount: money(next.amount_due, contract.currency),
              date: date(next.billing_date),
            }),
          )
    }
    ${contract.credit === 0 ? null : fact(say("subscription.credit"), money(contract.credit, contract.currency))}
  </dl>`;
}

function stateOf({ date, say }: Face, { status, pause, trial_ends_on: trial }: Contract): string {
  if (status === "paused" && pause?.resume_on)
    return say("subscription.paused_until", { date: date(pause.resume_on) });
  if (status === "trialing" && trial !== null) return say("subscription.trial_until", { date: date(trial) });
  return say(
    status === "cancelled" || status === "expired"
      ? "subscription.state_ended"
      : `subscription.state_${status}`,
  );
}

/** How it is paid, what else the customer has to pay with, and where to add a card. */
async function payment({ opened, face, path }: CustomerPage): Promise<Html> {
  const { contract, settings } = opened;
  const { say } = face;
  if (contract.collection === "send_invoice")
    return html`<h2>${say("subscription.payment")}</h2>
      <p>${say("subscription.by_invoice")}</p>`;
  const methods = await usableMethods(opened);
  const own = methods.find(({ id }) => id === contract.payment_method_id);
  const others = methods.filter((method) => method !== own);
  const url = settings.payment_page_url;
  const label = say(own === undefined ? "subscription.add_card" : "subscription.other_card");
  const setup = await findCardSetup(opened);
  return html`<h2>${say("subscription.payment")}</h2>
    <p>
      ${
        own === undefined
          ? say("subscription.no_card")
          : say("subscription.paid_with", { method: showMethod(face, own) })
      }
    </p>
    ${others.map(
      (method) =>
        html`<form method="post" action="${path}">
          <input type="hidden" name="payment_method_id" value="${method.id}" />
          <button class="quiet" name="action" value="pay_with">
            ${say("subscription.pay_with", { method: showMethod(face, method) })}
          </button>
        </form>`,
    )}
    ${setup === null ? null : button(path, "add_card", label, own === undefined ? "" : "quiet")}
    ${setup !== null || url === null ? null : html`<p><a href="${url}">${label}</a></p>`}`;
}

function delivery({ opened: { contract }, face: { say }, path }: CustomerPage): Html | null {
  if (contract.delivery === null) return null;
  return html`<h2>${say("subscription.delivery")}</h2>
    <form method="post" action="${path}">
      <label for="address">${say("subscription.address")}</label>
      <textarea id="address" name="address" rows="4" maxlength="500" required autocomplete="street-address">
${contract.delivery.address}</textarea>
      <button class="quiet" name="action" value="change_address">${say("subscription.save_address")}</button>
    </form>`;
}

async function history({ opened, face: { date, money, say }, path }: CustomerPage): Promise<Html | null> {
  const amountOf = ({ amount_due: amount, currency }: Charge): string => money(amount, currency);
  const place = { index: "by", value: opened.contract.id, limit: CHARGES_SHOWN };
  const { items } = await opened.tx.peekPage(charges, place);
  const known = await mapInSlices(items, opened.part, (item) => opened.charges.get(item.id) ?? item.value);
  if (known.length === 0) return null;
  const subjects = await Promise.all(known.map((charge) => subjectOf(opened, charge)));
  const dateOf = ({ paid_at: paidAt, due_at: dueAt }: Charge): string =>
    date(localDateAt(fromInstant(paidAt ?? dueAt), opened.contract.timezone));
  return html`<h2>${say("subscription.payments")}</h2>
    <table>
      <thead>
        <tr>
          <th>${say("invoice.date")}</th>
          <th>${say("subscription.state")}</th>
          <th class="n">${say("table.amount")}</th>
        </tr>
      </thead>
      <tbody>
        ${known.map(
          (charge, index) =>
            html`<tr>
              <td>${dateOf(charge)}</td>
              <td>${say(chargeState(charge.status))}</td>
              <td class="n">
                ${
                  charge.paid_at === null || charge.amount_due === 0
                    ? amountOf(charge)
                    : html`<a href="${path}/invoices/${invoiceIdOf(subjects[index] ?? charge.id)}"
                        >${amountOf(charge)}</a
                      >`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

const chargeState = (status: Charge["status"]): MessageKey =>
  status === "unknown" ? "charge.processing" : `charge.${status}`;

function changes({ opened: { contract, today }, face: { say }, path }: CustomerPage): Html {
  const { status, cancellation } = contract;
  if (cancellation !== null) return button(path, "keep", say("subscription.keep"));
  const mayPause = status === "active" || status === "trialing" || status === "past_due";
  return html`<h2>${say("subscription.change")}</h2>
    ${status === "active" ? button(path, "skip", say("subscription.skip"), "quiet") : null}
    ${status === "paused" ? button(path, "resume", say("subscription.resume")) : null}
    ${
      mayPause
        ? html`<form method="post" action="${path}">
            <label for="resume_on">${say("subscription.pause_until")}</label>
            <input type="date" id="resume_on" name="resume_on" min="${today}" />
            <button class="quiet" name="action" value="pause">${say("subscription.pause")}</button>
          </form>`
        : null
    }
    ${button(path, "cancel", say("subscription.cancel"), "quiet")}`;
}
