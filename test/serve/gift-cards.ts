import { z } from "zod";

import {
  Currency,
  ERASED_EMAIL,
  Instant,
  Minor,
  defineCollection,
  defineEngine,
  eachDue,
  fail,
  item,
  mailSubject,
  resource,
  resourceFields,
  seedSet,
  sendMail,
  timeOrder,
  watch,
  withVersion,
} from "../../server/engine.ts";
import type { Engine, Job } from "../../server/engine.ts";

const Card = z.strictObject({
  ...resourceFields,
  email: z.email(),
  balance: Minor,
  currency: Currency,
  status: z.enum(["active", "expired"]),
  expires_at: Instant,
});
type Card = z.output<typeof Card>;

export const cards = defineCollection({
  name: "gift_cards.cards",
  schema: Card,
  indexes: {
    due: {
      values: ({ status }) => (status === "active" ? [""] : []),
      order: ({ expires_at }) => timeOrder(expires_at),
    },
  },
  personal: {
    subjects: ({ email }) => [mailSubject(email)],
    erased: (card) => ({ ...card, email: ERASED_EMAIL }),
  },
});

const EXAMPLE = "gif_01KTBAKERY";

const card = resource({
  id: "gift_cards.cards",
  collection: cards,
  view: withVersion(Card),
  example: EXAMPLE,
});

const issue = card.create({
  summary: "Issue a gift card",
  body: z.strictObject({ email: z.email(), balance: Minor, currency: Currency, expires_at: Instant }),
  example: {
    body: {
      email: "ada@bakery.example",
      balance: 2_500,
      currency: "GBP",
      expires_at: "2027-06-01T09:00:00.000Z",
    },
  },
  make: (body, { newId, nowAt }): Card => ({
    ...body,
    id: newId("gif"),
    created_at: nowAt,
    updated_at: nowAt,
    status: "active",
  }),
});

const redeem = card.action("redeem", {
  summary: "Redeem an amount",
  body: z.strictObject({ amount: Minor.min(1) }),
  errors: [{ type: "conflict", code: "balance_too_low", when: "The card has less than this amount" }],
  example: { body: { amount: 1_000 } },
  async handle({ params, body }, { tx, newId, nowAt }) {
    const before = await tx.require(cards, params.id);
    const balance = before.value.status === "active" ? before.value.balance - body.amount : -1;
    if (balance < 0)
      throw fail("conflict", "The card has less than this amount. Redeem less.", { code: "balance_too_low" });
    const data = { id: params.id, amount: body.amount, balance };
    await sendMail(tx, {
      id: newId("mail"),
      to: before.value.email,
      subject: "Your gift card was redeemed",
      text: `${body.amount} was redeemed, ${balance} is left.`,
      created_at: nowAt,
    });
    tx.emit({ id: newId("evt"), type: "gift_cards.card.redeemed", at: nowAt, data });
    return item(tx.put(cards, before, { ...before.value, balance, updated_at: nowAt }));
  },
});

const expire: Job = {
  id: "gift_cards.expire",
  summary: "Expires gift cards at the end of their time",
  schedule: "*/10 * * * *",
  watches: [watch(cards, { index: "due", due: ({ expires_at }) => expires_at })],
  async run(work) {
    const due = {
      collection: cards,
      index: "due",
      isDue: ({ expires_at }: Card) => Date.parse(expires_at) <= work.now,
    };
    const { done } = await eachDue(work, due, (id) =>
      work.runTx(work.part, async (tx) => {
        const before = await tx.require(cards, id);
        tx.put(cards, before, { ...before.value, status: "expired", updated_at: work.nowAt });
        return 1;
      }),
    );
    return { expired: done };
  },
};

/** An engine as another package would export it: everything it needs comes from `storefront-platform/engine`. */
export const giftCards = (): Engine =>
  defineEngine({
    name: "gift_cards",
    summary: "Gift cards with a balance",
    routes: [
      card.list({ summary: "List gift cards" }),
      issue,
      card.get({ summary: "Show a gift card" }),
      redeem,
    ],
    jobs: [expire],
    events: [
      {
        type: "gift_cards.card.redeemed",
        summary: "An amount of a gift card was redeemed.",
        example: { id: EXAMPLE, amount: 1_000, balance: 1_500 },
      },
    ],
    seed: (now) => {
      const at = new Date(now).toISOString();
      const later = new Date(now + 86_400_000).toISOString();
      return [
        seedSet(cards, [
          {
            id: EXAMPLE,
            created_at: at,
            updated_at: at,
            email: "ada@bakery.example",
            balance: 2_500,
            currency: "GBP",
            status: "active" as const,
            expires_at: later,
          },
        ]),
      ];
    },
  });
