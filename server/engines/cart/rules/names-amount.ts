import type { Bundle } from "../schema.ts";
import type { Offer } from "../schema/offer.ts";

type OfferAmounts = Pick<Offer, "budget" | "conditions" | "effect" | "min_spend_after_discounts">;

/** Whether an offer names an amount: it is in the shop's currency, and means nothing in a cart in another. */
export const offerNamesAmount = ({
  budget,
  conditions: { rules },
  effect,
  min_spend_after_discounts: least,
}: OfferAmounts): boolean =>
  isAmount(effect.value) ||
  (effect.class === "bogo" && effect.buy.spend !== null) ||
  (effect.class === "shipping" && effect.min_subtotal > 0) ||
  budget !== null ||
  least > 0 ||
  rules.some(({ kind }) => kind === "subtotal");

/** The same of a bundle. */
export const bundleNamesAmount = ({
  pricing,
  tiers,
  type,
}: Pick<Bundle, "pricing" | "tiers" | "type">): boolean =>
  type === "tiered" ? tiers.some(isAmount) : isAmount(pricing);

const isAmount = ({ kind }: { readonly kind: string }): boolean =>
  kind === "amount_off" || kind === "fixed_price";
