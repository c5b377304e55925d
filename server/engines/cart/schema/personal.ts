import type { Personal } from "../../../core/collection.ts";
import { derivedId } from "../../../core/ids.ts";
import {
  customerSubject,
  hashSubject,
  mailSubject,
  mentionSubject,
  refSubject,
} from "../../../core/personal.ts";
import type { Cart, Mailbox } from "./cart.ts";
import type { Redemption, UseCounter } from "./offer.ts";
import type { Exposure } from "./upsell.ts";

export const personalCart: Personal<Cart> = {
  subjects: ({ customer: { id, email } }) => [
    ...(email === null ? [] : [mailSubject(email)]),
    ...(id === null ? [] : [customerSubject(id)]),
  ],
  erased: (cart) => ({
    ...cart,
    customer: { id: null, email: null, name: "" },
    consent: { basis: "none", at: null, source: "" },
    status: cart.status === "active" || cart.status === "abandoned" ? "lost" : cart.status,
    steps: cart.steps.map((step) =>
      step.state === "planned" ? { ...step, state: "skipped", reason: "erased", at: cart.updated_at } : step,
    ),
    // The way back into a cart may hold a token of the shop's.
    checkout_url: "https://erased.invalid/",
    next_action_at: null,
    metadata: {},
  }),
};

/** What is filed under the hash of an address or of a customer's id. Who unsubscribed stays so: that hash is kept. */
const filedUnder = <T extends { readonly id: string }>(): Personal<T> => ({
  subjects: ({ id }) => [hashSubject(id.slice(id.indexOf("_") + 1))],
  erased: () => null,
});
export const personalMailbox: Personal<Mailbox> = filedUnder();
export const personalExposure: Personal<Exposure> = filedUnder();

export const personalRedemption: Personal<Redemption> = {
  subjects: ({ customer_id: id, offer_id: offer }) =>
    id === null ? [] : [customerSubject(id), refSubject(usesOfCustomerId(offer, id))],
  erased: (redemption) => ({ ...redemption, customer_id: null }),
};

/** The id of the counter of a customer's uses of an offer. */
export const usesOfCustomerId = (offer: string, customer: string): string =>
  derivedId("use", new Uint8Array(), [offer, "customer", customer]);

/** Counts the uses of an offer, also those of one customer: only a redemption leads from the customer to that one. */
export const personalUses: Personal<UseCounter> = {
  subjects: ({ id }) => [mentionSubject(id)],
  erased: () => null,
};
