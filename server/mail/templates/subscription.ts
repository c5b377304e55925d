import { z } from "zod";

import { facts, link } from "../blocks.ts";
import type { Block } from "../blocks.ts";
import type { Words } from "../../core/words.ts";
import { InlineText, MailLink, defineMail, greet, shopIn } from "../template.ts";
import type { MailContext } from "../template.ts";

/** What every mail about a subscription contains. Amounts and dates come written out. */
const fields = {
  manage_url: MailLink,
  shop_name: InlineText,
  customer_name: InlineText,
  lines: InlineText,
};
const Common = z.object(fields);

const common = {
  manage_url:
    "https://api.shop.example/api/public/subscriptions/Zm9yLXByZXZpZXctb25seQ.bm90LWEtcmVhbC10b2tlbg",
  shop_name: "Demo Bakery & Roastery",
  customer_name: "Ada Byron",
  lines: "2 × Coffee, 1 kg",
};

/** The greeting, what the mail is about, and the link to the customer's page. */
const withLink = (
  { customer_name: name, manage_url: url }: z.output<typeof Common>,
  { say, ...words }: Words,
  blocks: readonly Block[],
): Block[] => [
  greet({ ...words, say }, name),
  ...blocks,
  link(url, say("mail.subscription.manage"), say("mail.subscription.keep_private")),
];

const coolingOff = ({ say }: Words, date: string): string =>
  date === "" ? "" : say("mail.subscription.cooling_off", { date });

/** Sent when a contract begins: what was agreed, on a durable medium. */
export const subscriptionConfirmation = defineMail({
  name: "subscription-confirmation",
  summary: "Sent when a subscription starts: what it contains, what it costs, how to withdraw.",
  reason: "subscription",
  schema: Common.extend({
    amount: InlineText,
    interval: InlineText,
    /** Empty: as agreed. */
    first_payment: InlineText,
    trial: InlineText,
    cooling_off: InlineText,
  }),
  example: {
    ...common,
    amount: "£39.00",
    interval: "every month",
    first_payment: "30 June 2026",
    trial: "",
    cooling_off: "14 July 2026",
  },
  blocks: (data, { words }) =>
    withLink(data, words, [
      words.say("mail.subscription-confirmation.thanks", { shop: shopIn(words, data.shop_name) }),
      facts(
        [words.say("subscription.what"), data.lines],
        [words.say("mail.subscription.price"), `${data.amount} ${data.interval}`],
        [
          words.say("mail.subscription.first"),
          data.first_payment === "" ? words.say("mail.subscription.agreed") : data.first_payment,
        ],
      ),
      data.trial === "" ? "" : words.say("mail.subscription.trial", { date: data.trial }),
      coolingOff(words, data.cooling_off),
    ]),
});

/** Sent before a renewal, before a trial ends, and as the reminder that some contracts need. */
export const subscriptionRenewal = defineMail({
  name: "subscription-renewal",
  summary: "Sent before a payment is due: when, how much, and how to cancel.",
  reason: "subscription",
  schema: Common.extend({
    amount: InlineText,
    interval: InlineText,
    /** Empty: as agreed. */
    date: InlineText,
    trial_ends: z.boolean(),
    cooling_off: InlineText,
  }),
  example: {
    ...common,
    amount: "£39.00",
    interval: "every month",
    date: "30 June 2026",
    trial_ends: false,
    cooling_off: "",
  },
  blocks: (data, { words }) =>
    withLink(data, words, [
      words.say(
        data.trial_ends ? "mail.subscription-renewal.trial_ends" : "mail.subscription-renewal.renews",
        {
          shop: shopIn(words, data.shop_name),
        },
      ),
      facts(
        [words.say("subscription.what"), data.lines],
        [words.say("mail.subscription.price"), `${data.amount} ${data.interval}`],
        [
          words.say("subscription.next_payment"),
          data.date === "" ? words.say("mail.subscription.agreed") : data.date,
        ],
      ),
      coolingOff(words, data.cooling_off),
    ]),
});

/** Sent at once when a contract is cancelled, by either side. */
export const subscriptionCancelled = defineMail({
  name: "subscription-cancelled",
  summary: "Sent when a subscription is cancelled: when it ends and what is refunded.",
  reason: "subscription",
  schema: Common.extend({ ends_on: InlineText, refund: InlineText }),
  example: { ...common, ends_on: "30 June 2026", refund: "£12.40" },
  blocks: (data, { words }) =>
    withLink(data, words, [
      words.say("mail.subscription-cancelled.confirms", { shop: shopIn(words, data.shop_name) }),
      facts([words.say("subscription.what"), data.lines]),
      data.refund === ""
        ? words.say("mail.subscription-cancelled.ends", { date: data.ends_on })
        : words.say("mail.subscription-cancelled.ends_refund", { date: data.ends_on, refund: data.refund }),
      words.say("mail.subscription-cancelled.mind"),
    ]),
});

const Failed = Common.extend({
  amount: InlineText,
  due: InlineText,
  retry: InlineText,
  /** What the policy does after the last attempt. */
  consequence: z.enum(["skip_cycle", "pause", "unpaid", "cancel"]),
  /** What the customer can do: confirm the payment at the bank, use another card, or wait. */
  step: z.enum(["confirm", "replace", "wait"]).default("wait"),
});
type Failed = z.output<typeof Failed>;

const failedExample = {
  ...common,
  amount: "£39.00",
  due: "30 June 2026",
  retry: "3 July 2026",
  consequence: "skip_cycle" as const,
};

/** What every mail about a failed payment says; `next` is the one thing that follows. */
const failed =
  (stage: "failed" | "reminder" | "last", next: (data: Failed, words: Words) => string) =>
  (data: Failed, { words }: MailContext): Block[] =>
    withLink(data, words, [
      words.say(`mail.subscription-payment-${stage}.text`, {
        amount: data.amount,
        shop: shopIn(words, data.shop_name),
        date: data.due,
      }),
      facts([words.say("subscription.what"), data.lines]),
      next(data, words),
    ]);

/** The one thing that comes next; the link below it leads to where it is done. */
function noteOf({ step, retry }: Failed, { say }: Words): string {
  if (step === "confirm") return say("mail.payment.confirm");
  if (step === "replace" || retry === "") return say("mail.payment.replace");
  return say("mail.payment.wait", { date: retry });
}

/** The first stage: friendly, since most failures resolve themselves. */
export const subscriptionPaymentFailed = defineMail({
  name: "subscription-payment-failed",
  summary: "Sent when a payment fails for the first time: what happens next.",
  reason: "subscription",
  schema: Failed,
  example: failedExample,
  blocks: failed("failed", noteOf),
});

/** The second stage: several attempts have failed. */
export const subscriptionPaymentReminder = defineMail({
  name: "subscription-payment-reminder",
  summary: "Sent when several payment attempts failed: asks to check the payment method.",
  reason: "subscription",
  schema: Failed,
  example: failedExample,
  blocks: failed("reminder", noteOf),
});

/** The third stage: what the policy makes of it. */
export const subscriptionPaymentLast = defineMail({
  name: "subscription-payment-last",
  summary: "Sent when the last payment attempt failed: what happens to the subscription.",
  reason: "subscription",
  schema: Failed,
  example: { ...failedExample, retry: "" },
  blocks: failed("last", ({ consequence }, { say }) =>
    say(`mail.payment.${consequence === "unpaid" ? "pause" : consequence}`),
  ),
});
