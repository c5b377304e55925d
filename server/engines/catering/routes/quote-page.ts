import { z } from "zod";

import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Stored } from "../../../core/tx.ts";
import { payableNow } from "../services/deposit-payments.ts";
import { linkTo } from "../services/mails.ts";
import { asSent, chooseLines } from "../rules/choose-lines.ts";
import type { Choice } from "../rules/choose-lines.ts";
import { contentOf } from "../rules/draft-quote.ts";
import { isOpen } from "../rules/quote-state.ts";
import type { Account } from "../schema/account.ts";
import type { Order } from "../schema/order.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { page, priceTable } from "./page.ts";
import type { PageWork } from "./page.ts";

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

export async function quotePage(work: PageWork, linked: Linked, shown: Shown): Promise<Reply<never>> {
  const { stored, version } = linked;
  const quote = stored.value;
  const choice = choiceOf(linked, shown.form);
  // Once it is accepted, what was accepted is shown.
  const content = quote.acceptance === null ? choice.content : contentOf(quote);
  const optional = isOpen(quote.status) ? await optionalForms(work, linked, choice) : null;
  const { event, headcount } = content;
  const { date, instant, say } = work.face;
  const heads = { count: headcount.estimate, min: headcount.min, max: headcount.max };
  return page(work, {
    title: say("catering.quote_title", { number: version.number, title: content.title }),
    status: shown.status ?? (shown.wrong == null ? 200 : 422),
    body: html`<h1>${content.title}</h1>
      <p class="soft">${say("catering.quote_version", { number: version.number, version: version.v })}</p>
      ${shown.wrong == null ? null : html`<p class="note bad" role="alert">${shown.wrong}</p>`}
      ${stateNote(work, quote)}
      <dl>
        <dt>${say("catering.when")}</dt>
        <dd>
          ${say("catering.time", { date: date(event.date, "full"), start: event.start, end: event.end })}
        </dd>
        <dt>${say("catering.guests")}</dt>
        <dd>${say(heads.max > heads.min ? "catering.heads_range" : "catering.heads", heads)}</dd>
        ${
          event.site === ""
            ? null
            : html`<dt>${say("catering.where")}</dt>
                <dd>${event.site}</dd>`
        }
        ${
          content.dietary.length === 0
            ? null
            : html`<dt>${say("catering.dietary")}</dt>
                <dd>${content.dietary.map(({ code, count }) => `${count} ${code}`).join(", ")}</dd>`
        }
        <dt>${say("catering.valid_until")}</dt>
        <dd>${instant(content.valid_until, event.timezone)}</dd>
      </dl>
      <h2>${say("price")}</h2>
      ${priceTable(work.face, content)} ${optional} ${depositList(work, content)} ${depositForm(work, linked)}
      ${bankDetails(work, linked)} ${rulesList(work, content)}
      ${
        content.terms === ""
          ? null
          : html`<h2>${say("catering.terms")}</h2>
              <p class="pre">${content.terms}</p>`
      }
      ${isOpen(quote.status) ? answerForms(work, linked, { choice, form: shown.form }) : null}`,
  });
}

function stateNote(work: PageWork, quote: Quote): Html | null {
  const { instant, say } = work.face;
  if (quote.status === "declined") return html`<p class="note" role="status">${say("catering.declined")}</p>`;
  if (quote.status === "awaiting_approval")
    return html`<p class="note" role="status">${say("catering.awaiting")}</p>`;
  if (quote.acceptance === null) return null;
  const { at, name } = quote.acceptance;
  return html`<p class="note good" role="status">
    ${say("catering.accepted_by", { name, at: instant(at, quote.event.timezone) })}
    ${
      quote.order_id === null
        ? null
        : html`<a href="${linkTo(work, "order", [quote.order_id])}">${say("catering.calendar")}</a>`
    }
  </p>`;
}

const depositList = (
  { face: { date, money, rate, say } }: PageWork,
  { currency, deposit_schedule: deposits }: QuoteVersion["content"],
): Html | null =>
  deposits.length === 0
    ? null
    : html`<h2>${say("catering.deposits")}</h2>
        <ul>
          ${deposits.map(
            ({ amount, bps, due_on: on }) =>
              html`<li>
                ${say(on === null ? "catering.deposit_now" : "catering.deposit_on", {
                  amount: money(amount, currency),
                  rate: rate(bps),
                  date: on === null ? "" : date(on, "full"),
                })}
              </li>`,
          )}
        </ul>`;

/** The button that leads to the page on which the deposit is paid by card. */
function depositForm(work: PageWork, { hasPaymentPage, order, token, version }: Linked): Html | null {
  if (order === null || order.deposit_schedule.length === 0) return null;
  const { money, say } = work.face;
  const due = payableNow(order, work.now);
  if (due === 0 && order.paid > 0)
    return html`<p class="note good">
      ${say("catering.paid", { amount: money(order.paid, order.currency) })}
    </p>`;
  if (due === 0 || !hasPaymentPage) return null;
  return html`<form method="post" action="/api/public/quotes/${token}">
    <input type="hidden" name="hash" value="${version.hash}" />
    <button name="action" value="pay">
      ${say("catering.pay_card", { amount: money(due, order.currency) })}
    </button>
  </form>`;
}

/** How a deposit is paid: by bank transfer, where the shop gives its account. */
function bankDetails(
  { face: { say }, now, settings: { bank_details: details } }: PageWork,
  { hasPaymentPage, order, version: { content, number } }: Linked,
): Html | null {
  if (details === "" || content.deposit_schedule.length === 0) return null;
  if (order !== null && payableNow(order, now) === 0) return null;
  const how = hasPaymentPage ? "catering.transfer_or" : "catering.transfer";
  return html`<p>${say(how, { reference: `Q-${number}` })}</p>
    <p class="pre">${details}</p>`;
}

function rulesList({ face }: PageWork, { policy }: QuoteVersion["content"]): Html {
  const { at, business_days_before: days } = policy.guarantee;
  return html`<p class="soft">${face.say("catering.guarantee", { days, at })}</p>`;
}

/** A button for each optional line: what it adds, or takes off. Each prices the whole quote, with pauses between them. */
async function optionalForms(
  { face, part }: PageWork,
  { token, version }: Linked,
  choice: Choice,
): Promise<Html[]> {
  const { content, chosen } = choice;
  const forms: Html[] = [];
  for (const { id, title, selected } of content.lines.filter(({ optional }) => optional)) {
    await giveWay(part);
    const ids = selected ? chosen.filter((one) => one !== id) : [...chosen, id];
    const change = chooseLines(version, ids).content.totals.total - content.totals.total;
    const label = selected
      ? (["catering.option_remove_more", "catering.option_remove"] as const)
      : (["catering.option_add", "catering.option_add_less"] as const);
    const amount = face.money(Math.abs(change), content.currency);
    forms.push(
      html`<form method="post" action="/api/public/quotes/${token}">
        <input type="hidden" name="hash" value="${choice.hash}" />
        <input type="hidden" name="chosen" value="${chosen.join()}" />
        <input type="hidden" name="toggle" value="${id}" />
        <button class="quiet" name="action" value="choose">
          ${face.say(change < 0 ? label[1] : label[0], { title, amount })}
        </button>
      </form>`,
    );
  }
  return forms;
}

function answerForms(
  { face: { money, say } }: PageWork,
  linked: Linked,
  { choice, form }: { readonly choice: Choice; readonly form: Form | undefined },
): Html {
  const { account, contact, token, version } = linked;
  const action = `/api/public/quotes/${token}`;
  const centres = account?.cost_centres ?? [];
  return html`<form method="post" action="${action}">
      <h2>${say("catering.accept")}</h2>
      <input type="hidden" name="hash" value="${choice.hash}" />
      <input type="hidden" name="chosen" value="${choice.chosen.join()}" />
      <label for="name">${say("your_name")}</label>
      <input
        id="name"
        name="name"
        type="text"
        required
        maxlength="200"
        autocomplete="name"
        value="${form?.name || contact.name}"
      />
      <label for="email">${say("your_email")}</label>
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
                >${say(account.po.required ? "catering.po" : "catering.po_optional")}</label
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
          : html`<label for="cost_centre">${say("catering.cost_centre")}</label>
              <select id="cost_centre" name="cost_centre">
                <option value="">${say("none")}</option>
                ${centres.map(({ code, name }) => html`<option value="${code}">${code}: ${name}</option>`)}
              </select>`
      }
      <label class="check"
        ><input type="checkbox" name="agree" value="yes" required /> ${say("catering.agree", {
          amount: money(choice.content.totals.total, choice.content.currency),
        })}</label
      >
      <button name="action" value="accept">${say("catering.accept_quote")}</button>
    </form>
    <form method="post" action="${action}">
      <h2>${say("catering.decline")}</h2>
      <input type="hidden" name="hash" value="${version.hash}" />
      <label for="reason">${say("catering.reason")}</label>
      <input id="reason" name="reason" type="text" maxlength="500" />
      <button class="quiet" name="action" value="decline">${say("catering.decline")}</button>
    </form>`;
}
