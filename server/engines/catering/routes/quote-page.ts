import { z } from "zod";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { payableNow } from "../services/deposit-payments.ts";
import { linkTo } from "../services/mails.ts";
import type { World } from "../services/world.ts";
import { shopName } from "../services/world.ts";
import { asSent, chooseLines } from "../rules/choose-lines.ts";
import type { Choice } from "../rules/choose-lines.ts";
import { contentOf } from "../rules/draft-quote.ts";
import { isOpen } from "../rules/quote-state.ts";
import { showMoney } from "../../../lib/show.ts";
import { showDate, showHeads, showInstant, showRate } from "../rules/show.ts";
import type { Account } from "../schema/account.ts";
import type { Order } from "../schema/order.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { page, priceTable } from "./page.ts";

/** What a form sends is looked at field by field, so that the page can say what is wrong. */
export const Form = z.strictObject({
  action: z.enum(["accept", "decline", "choose", "pay"]),
  /** Ids of optional lines, with commas between: what the page was showing; none given: as it was sent. */
  chosen: z.string().max(4_000).optional(),
  /** The optional line that is put in or left out. */
  toggle: z.string().max(64).default(""),
  hash: z.string().max(64),
  name: z.string().max(300).default(""),
  email: z.string().max(300).default(""),
  po_number: z.string().max(300).default(""),
  cost_centre: z.string().max(300).default(""),
  agree: z.string().max(10).default(""),
  reason: z.string().max(500).default(""),
});
export type Form = z.output<typeof Form>;

export interface Linked {
  readonly stored: Stored<Quote>;
  readonly version: QuoteVersion;
  readonly account: Account | null;
  /** The order that came of it. */
  readonly order: Order | null;
  /** A gateway of the store has a page on which a customer pays. */
  readonly hasPaymentPage: boolean;
  /** Name and address that the form begins with. */
  readonly contact: { readonly name: string; readonly email: string };
  readonly token: string;
}

export const choiceOf = ({ version }: Linked, form: Form | undefined): Choice =>
  form?.chosen === undefined ? asSent(version) : chooseLines(version, form.chosen.split(","));

interface Shown {
  readonly wrong?: string | null;
  readonly form?: Form;
  readonly status?: number;
}

export async function quotePage(world: World, linked: Linked, shown: Shown): Promise<Reply<never>> {
  const { stored, version } = linked;
  const quote = stored.value;
  const choice = choiceOf(linked, shown.form);
  // Once it is accepted, what was accepted is shown.
  const content = quote.acceptance === null ? choice.content : contentOf(quote);
  const { event, headcount } = content;
  return page({
    title: `Quote ${version.number}: ${content.title}`,
    status: shown.status ?? (shown.wrong == null ? 200 : 422),
    body: html`<p class="soft">${shopName(world.settings)}</p>
      <h1>${content.title}</h1>
      <p class="soft">Quote ${version.number}, version ${version.v}</p>
      ${shown.wrong == null ? null : html`<p class="note bad" role="alert">${shown.wrong}</p>`}
      ${stateNote(world, quote)}
      <dl>
        <dt>When</dt>
        <dd>${showDate(event.date)}, ${event.start} to ${event.end}</dd>
        <dt>Guests</dt>
        <dd>
          ${showHeads(headcount.estimate)}${
            headcount.max > headcount.min ? ` (${headcount.min} to ${headcount.max})` : ""
          }
        </dd>
        ${
          event.site === ""
            ? null
            : html`<dt>Where</dt>
                <dd>${event.site}</dd>`
        }
        ${
          content.dietary.length === 0
            ? null
            : html`<dt>Dietary</dt>
                <dd>${content.dietary.map(({ code, count }) => `${count} ${code}`).join(", ")}</dd>`
        }
        <dt>Valid until</dt>
        <dd>${showInstant(content.valid_until, event.timezone)}</dd>
      </dl>
      <h2>Price</h2>
      ${priceTable(content)} ${isOpen(quote.status) ? optionalForms(linked, choice) : null}
      ${depositList(content)} ${depositForm(world, linked)} ${bankDetails(world, linked)}
      ${rulesList(content)}
      ${
        content.terms === ""
          ? null
          : html`<h2>Terms</h2>
              <p class="pre">${content.terms}</p>`
      }
      ${isOpen(quote.status) ? answerForms(linked, choice, shown.form) : null}`,
  });
}

function stateNote(world: World, quote: Quote): Html | null {
  if (quote.status === "declined") return html`<p class="note" role="status">You declined this quote.</p>`;
  if (quote.status === "awaiting_approval") {
    return html`<p class="note" role="status">
      Thank you. It now waits for approval in your company; you will hear from us.
    </p>`;
  }
  if (quote.acceptance === null) return null;
  return html`<p class="note good" role="status">
    Accepted by ${quote.acceptance.name} on ${showInstant(quote.acceptance.at, quote.event.timezone)}. Thank
    you.
    ${
      quote.order_id === null
        ? null
        : html`<a href="${linkTo(world, "order", [quote.order_id])}">Add it to your calendar</a>`
    }
  </p>`;
}

const depositList = ({ currency, deposit_schedule: deposits }: QuoteVersion["content"]): Html | null =>
  deposits.length === 0
    ? null
    : html`<h2>Deposits</h2>
        <ul>
          ${deposits.map(
            ({ amount, bps, due_on: on }) =>
              html`<li>
                ${showMoney(amount, currency)} (${showRate(bps)}),
                ${on === null ? "due when you accept" : `due on ${showDate(on)}`}
              </li>`,
          )}
        </ul>`;

/** The button that leads to the page on which the deposit is paid by card. */
function depositForm(world: World, { hasPaymentPage, order, token, version }: Linked): Html | null {
  if (order === null || order.deposit_schedule.length === 0) return null;
  const due = payableNow(order, world.now);
  if (due === 0 && order.paid > 0)
    return html`<p class="note good">${showMoney(order.paid, order.currency)} is paid. Thank you.</p>`;
  if (due === 0 || !hasPaymentPage) return null;
  return html`<form method="post" action="/api/public/quotes/${token}">
    <input type="hidden" name="hash" value="${version.hash}" />
    <button name="action" value="pay">Pay ${showMoney(due, order.currency)} by card</button>
  </form>`;
}

/** How a deposit is paid: by bank transfer, where the shop gives its account. */
function bankDetails(
  { now, settings: { bank_details: details } }: World,
  { hasPaymentPage, order, version: { content, number } }: Linked,
): Html | null {
  if (details === "" || content.deposit_schedule.length === 0) return null;
  if (order !== null && payableNow(order, now) === 0) return null;
  const how = hasPaymentPage ? "Pay by card once you have accepted, or by" : "Pay by";
  return html`<p>${how} bank transfer. ${`Use the reference Q-${number}.`}</p>
    <p class="pre">${details}</p>`;
}

function rulesList({ policy }: QuoteVersion["content"]): Html {
  const { at, business_days_before: days } = policy.guarantee;
  return html`<p class="soft">
    The number of guests is fixed ${days} business days before, at ${at}; after that it can only rise.
  </p>`;
}

/** A button for each optional line: what it adds, or takes off. */
function optionalForms({ token, version }: Linked, choice: Choice): Html[] {
  const { content, chosen } = choice;
  return content.lines
    .filter(({ optional }) => optional)
    .map(({ id, title, selected }) => {
      const ids = selected ? chosen.filter((one) => one !== id) : [...chosen, id];
      const change = chooseLines(version, ids).content.totals.total - content.totals.total;
      const amount = `${change < 0 ? "−" : "+"} ${showMoney(Math.abs(change), content.currency)}`;
      return html`<form method="post" action="/api/public/quotes/${token}">
        <input type="hidden" name="hash" value="${choice.hash}" />
        <input type="hidden" name="chosen" value="${chosen.join()}" />
        <input type="hidden" name="toggle" value="${id}" />
        <button class="quiet" name="action" value="choose">
          ${selected ? "Remove" : "Add"} ${title} (${amount})
        </button>
      </form>`;
    });
}

function answerForms(linked: Linked, choice: Choice, form: Form | undefined): Html {
  const { account, contact, token, version } = linked;
  const action = `/api/public/quotes/${token}`;
  const centres = account?.cost_centres ?? [];
  return html`<form method="post" action="${action}">
      <h2>Accept</h2>
      <input type="hidden" name="hash" value="${choice.hash}" />
      <input type="hidden" name="chosen" value="${choice.chosen.join()}" />
      <label for="name">Your name</label>
      <input
        id="name"
        name="name"
        type="text"
        required
        maxlength="200"
        autocomplete="name"
        value="${form?.name || contact.name}"
      />
      <label for="email">Your e-mail address</label>
      <input
        id="email"
        name="email"
        type="email"
        required
        maxlength="254"
        autocomplete="email"
        value="${form?.email || contact.email}"
      />
      ${
        account === null
          ? null
          : html`<label for="po_number"
                >Purchase order${account.po.required ? "" : " (if you have one)"}</label
              >
              <input
                id="po_number"
                name="po_number"
                type="text"
                maxlength="60"
                value="${form?.po_number ?? ""}"
              />`
      }
      ${
        centres.length === 0
          ? null
          : html`<label for="cost_centre">Cost centre</label>
              <select id="cost_centre" name="cost_centre">
                <option value="">None</option>
                ${centres.map(({ code, name }) => html`<option value="${code}">${code}: ${name}</option>`)}
              </select>`
      }
      <label class="check"
        ><input type="checkbox" name="agree" value="yes" required /> I accept this quote at
        ${showMoney(choice.content.totals.total, choice.content.currency)} and its terms.</label
      >
      <button name="action" value="accept">Accept the quote</button>
    </form>
    <form method="post" action="${action}">
      <h2>Decline</h2>
      <input type="hidden" name="hash" value="${version.hash}" />
      <label for="reason">Reason (optional)</label>
      <input id="reason" name="reason" type="text" maxlength="500" />
      <button class="quiet" name="action" value="decline">Decline</button>
    </form>`;
}
