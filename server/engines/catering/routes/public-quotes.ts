import { z } from "zod";

import type { Html } from "../../../kernel/html.ts";
import { html } from "../../../kernel/html.ts";
import type { OpenCtx, Reply } from "../../../kernel/route.ts";
import { defineOpenRoute } from "../../../kernel/route.ts";
import type { Stored } from "../../../kernel/tx.ts";
import { linkTo } from "../jobs/letters.ts";
import { acceptQuote, closeQuote, contactOf, viewQuote } from "../jobs/quote-steps.ts";
import type { World } from "../jobs/world.ts";
import { shopName } from "../jobs/world.ts";
import { accounts, quotes, quoteVersions, versionId } from "../repository.ts";
import { asSent, chooseLines, isEnough } from "../rules/choose-lines.ts";
import type { Choice } from "../rules/choose-lines.ts";
import { contentOf } from "../rules/draft-quote.ts";
import { answerRefusal } from "../rules/accept-quote.ts";
import { openToken } from "../rules/link-token.ts";
import { isExpired, isOpen } from "../rules/quote-state.ts";
import { showMoney } from "../../../kernel/show.ts";
import { showDate, showHeads, showInstant, showRate } from "../rules/show.ts";
import type { Account } from "../schema/account.ts";
import { Email, Text } from "../schema/parts.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { linkedWorld, reasonOf } from "./env.ts";
import { deadEnd, page, priceTable, refusal, unknownLink } from "./page.ts";

const Params = z.object({ token: z.string().max(400) });
const params = { token: "c3RvXzAxCmNxdF8wMQoy.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };
/** What a form sends is looked at field by field, so that the page can say what is wrong. */
const Form = z.strictObject({
  action: z.enum(["accept", "decline", "choose"]),
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
type Form = z.output<typeof Form>;

const show = defineOpenRoute({
  id: "public.quotes.show",
  method: "GET",
  path: "/quotes/:token",
  summary: "The page on which a customer reads a quote and accepts it",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) =>
    onQuote(ctx, token, async (world, linked) => {
      viewQuote(world, linked.stored);
      return quotePage(world, linked, {});
    }),
});

const answer = defineOpenRoute({
  id: "public.quotes.answer",
  method: "POST",
  path: "/quotes/:token",
  summary: "Choose optional lines of a quote, accept or decline it",
  params: Params,
  body: Form,
  data: z.string(),
  rawType: "text/html",
  refusal,
  form: true,
  hidden: true,
  example: { params, body: { action: "decline", hash: "9b0f2a7d" } },
  handle: ({ params: { token }, body }, ctx) =>
    onQuote(ctx, token, (world, linked) => ANSWERS[body.action](world, linked, body)),
});

interface Linked {
  readonly stored: Stored<Quote>;
  readonly version: QuoteVersion;
  readonly account: Account | null;
  /** Name and address that the form begins with. */
  readonly contact: { readonly name: string; readonly email: string };
  readonly token: string;
}

/** Opens the quote and version that a link names; the page says so when it is not the latest or stands no longer. */
async function onQuote(
  ctx: OpenCtx,
  token: string,
  work: (world: World, linked: Linked) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = openToken(ctx.ports, "quote", token);
  if (target === null) return unknownLink();
  const { part, names } = target;
  const [quoteId = "", v = ""] = names;
  return ctx.runTx(part, async (tx) => {
    const world = await linkedWorld(ctx, tx);
    const stored = await tx.get(quotes, quoteId);
    const version = await tx.get(quoteVersions, versionId(quoteId, Number(v)));
    if (stored === null || version === null) return unknownLink();
    const closed = closedPage(world, stored.value, version.value);
    if (closed !== null) return closed;
    const { account_id: accountId } = stored.value;
    const account = accountId === null ? null : (await tx.require(accounts, accountId)).value;
    const contact = await contactOf(world, stored.value);
    return work(world, { stored, version: version.value, account, contact, token });
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

const choiceOf = ({ version }: Linked, form: Form | undefined): Choice =>
  form?.chosen === undefined ? asSent(version) : chooseLines(version, form.chosen.split(","));

/** Puts an optional line in or leaves it out: the page is shown anew with what it then costs. Nothing is stored. */
function choose(world: World, linked: Linked, form: Form): Promise<Reply<never>> {
  const { chosen } = choiceOf(linked, form);
  const isIn = chosen.includes(form.toggle);
  const ids = isIn ? chosen.filter((id) => id !== form.toggle) : [...chosen, form.toggle];
  const next = chooseLines(linked.version, ids);
  if (isEnough(next)) return quotePage(world, linked, { form: { ...form, chosen: next.chosen.join() } });
  const least = showMoney(next.content.policy.min_spend, next.content.currency);
  return quotePage(world, linked, { form, wrong: `The food must come to at least ${least}.` });
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
    return quotePage(world, { ...linked, stored: accepted }, {});
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

const ANSWERS = { accept, decline, choose };

interface Shown {
  readonly wrong?: string | null;
  readonly form?: Form;
  readonly status?: number;
}

async function quotePage(world: World, linked: Linked, shown: Shown): Promise<Reply<never>> {
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
      ${depositList(content)} ${rulesList(content)}
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
          ${selected ? "Leave out" : "Add"} ${title} (${amount})
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
      <h2>Or say no</h2>
      <input type="hidden" name="hash" value="${version.hash}" />
      <label for="reason">Why (if you like)</label>
      <input id="reason" name="reason" type="text" maxlength="500" />
      <button class="quiet" name="action" value="decline">Decline</button>
    </form>`;
}

export const publicQuoteRoutes = [show, answer];
