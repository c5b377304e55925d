import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { showLines } from "../../../lib/show.ts";
import { nextPaidCycle } from "../rules/preview.ts";
import { priceCycle } from "../rules/price-cycle.ts";
import { selfServiceUrl } from "../rules/self-service.ts";
import { showInterval } from "../rules/calendar.ts";
import type { Charge } from "../schema/charge.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import type { ContractWork, ContractMail } from "./contract-work.ts";
import { nextBillingDate } from "./contract-work.ts";

/** A mail without what it is about. */
type Text = Pick<ContractMail, "template" | "data">;

const common = ({ contract, settings, ports, part }: ContractWork) => ({
  manage_url: selfServiceUrl(ports, part, contract.id),
  shop_name: settings.shop_name,
  customer_name: contract.customer.name,
  lines: showLines(contract.lines),
});

export function confirmationMail(opened: ContractWork): Text {
  const { contract, words } = opened;
  const first = nextBillingDate(contract);
  const amount = words.money(priceCycle(contract, contract.next_cycle).money.total, contract.currency);
  return {
    template: "subscription-confirmation",
    data: {
      ...common(opened),
      amount,
      interval: showInterval(words, contract.billing),
      first_payment: first === null ? "" : words.date(first),
      trial: contract.trial_ends_on === null ? "" : words.date(contract.trial_ends_on),
      cooling_off: coolingOffOf(opened),
    },
  };
}

const coolingOffOf = ({ contract, today, words }: ContractWork): string => {
  const open = contract.compliance.cooling_off.find(({ from, to }) => from <= today && today < to);
  return open === undefined ? "" : words.date(open.to);
};

export function renewalMail(opened: ContractWork): Text {
  const { contract, words } = opened;
  const next = nextBillingDate(contract);
  return {
    template: "subscription-renewal",
    data: {
      ...common(opened),
      amount: words.money(nextPaidCycle(contract, opened)?.amount_due ?? 0, contract.currency),
      interval: showInterval(words, contract.billing),
      date: next === null ? "" : words.date(next),
      trial_ends: contract.status === "trialing",
      cooling_off: coolingOffOf(opened),
    },
  };
}

export const cancelledMail = (opened: ContractWork, refund: number): Text => ({
  template: "subscription-cancelled",
  data: {
    ...common(opened),
    ends_on: opened.words.date(opened.contract.cancellation?.effective_on ?? opened.today),
    refund: refund === 0 ? "" : opened.words.money(refund, opened.contract.currency),
  },
});

/** Mail about a failed payment: friendly at first, then pressing, then the last word. */
export function failedMail(opened: ContractWork, charge: Charge, stage: number | "last"): Text {
  const { contract, policy, words } = opened;
  const retryAt = charge.dunning.next_retry_at;
  return {
    template: templateOf(stage),
    data: {
      ...common(opened),
      amount: words.money(charge.amount_due, charge.currency),
      due: words.date(localDateAt(fromInstant(charge.due_at), contract.timezone)),
      retry: retryAt === null ? "" : words.date(localDateAt(fromInstant(retryAt), contract.timezone)),
      consequence: policy.on_exhausted,
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

/** Stages whose mails a payment takes back. */
export const mailStages = (policy: DunningPolicy): readonly string[] => [
  ...policy.mail_stages.map(String),
  "last",
];
