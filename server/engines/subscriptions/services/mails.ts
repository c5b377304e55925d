import { shopNameOr } from "../../../core/shop.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { showDate, showLines, showMoney } from "../../../lib/show.ts";
import { priceCycle } from "../rules/price-cycle.ts";
import { selfServiceUrl } from "../rules/self-service.ts";
import { showInterval } from "../rules/show.ts";
import type { Charge } from "../schema/charge.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import type { Book, ContractMail } from "./book.ts";
import { nextBillingDate } from "./book.ts";

/** A mail without what it is about. */
type Text = Pick<ContractMail, "template" | "data">;

const common = ({ contract, settings, env }: Book) => ({
  manage_url: selfServiceUrl(env.ports, env.part, contract.id),
  shop_name: shopNameOr(settings.shop_name),
  customer_name: contract.customer.name,
  lines: showLines(contract.lines),
});

export function confirmationMail(book: Book): Text {
  const { contract } = book;
  const first = nextBillingDate(contract);
  const amount = showMoney(priceCycle(contract, contract.next_cycle).money.total, contract.currency);
  return {
    template: "subscription-confirmation",
    data: {
      ...common(book),
      amount,
      interval: showInterval(contract.billing),
      first_payment: first === null ? "as agreed" : showDate(first),
      trial: contract.trial_ends_on === null ? "" : showDate(contract.trial_ends_on),
      cooling_off: coolingOffOf(book),
    },
  };
}

const coolingOffOf = ({ contract, today }: Book): string => {
  const open = contract.compliance.cooling_off.find(({ from, to }) => from <= today && today < to);
  return open === undefined ? "" : showDate(open.to);
};

export function renewalMail(book: Book): Text {
  const { contract } = book;
  const next = nextBillingDate(contract);
  return {
    template: "subscription-renewal",
    data: {
      ...common(book),
      amount: showMoney(priceCycle(contract, contract.next_cycle).money.total, contract.currency),
      interval: showInterval(contract.billing),
      date: next === null ? "as agreed" : showDate(next),
      trial_ends: contract.status === "trialing",
      cooling_off: coolingOffOf(book),
    },
  };
}

export const cancelledMail = (book: Book, refund: number): Text => ({
  template: "subscription-cancelled",
  data: {
    ...common(book),
    ends_on: showDate(book.contract.cancellation?.effective_on ?? book.today),
    refund: refund === 0 ? "" : showMoney(refund, book.contract.currency),
  },
});

/** Mail about a failed payment: friendly at first, then pressing, then the last word. */
export function failedMail(book: Book, charge: Charge, stage: number | "last"): Text {
  const { contract, policy } = book;
  const retryAt = charge.dunning.next_retry_at;
  return {
    template: templateOf(stage),
    data: {
      ...common(book),
      amount: showMoney(charge.amount_due, charge.currency),
      due: showDate(localDateAt(fromInstant(charge.due_at), contract.timezone)),
      retry: retryAt === null ? "" : showDate(localDateAt(fromInstant(retryAt), contract.timezone)),
      consequence: CONSEQUENCES[policy.on_exhausted],
      step: stepOf(charge),
    },
  };
}

/** What the customer can do about a failed payment. */
function stepOf({ status, dunning: { category } }: Charge): "confirm" | "replace" | "wait" {
  if (status === "requires_action") return "confirm";
  return category === "hard" || category === "method" ? "replace" : "wait";
}

const templateOf = (stage: number | "last"): string => {
  if (stage === "last") return "subscription-payment-last";
  return stage === 1 ? "subscription-payment-failed" : "subscription-payment-reminder";
};

const CONSEQUENCES: Readonly<Record<DunningPolicy["on_exhausted"], string>> = {
  skip_cycle: "This delivery is skipped. The subscription continues with the next one.",
  pause: "The subscription is paused until the payment is settled.",
  unpaid: "The subscription is paused until the payment is settled.",
  cancel: "The subscription has ended.",
};

/** Stages whose mails a payment takes back. */
export const mailStages = (policy: DunningPolicy): readonly string[] => [
  ...policy.mail_stages.map(String),
  "last",
];
