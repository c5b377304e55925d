import type { Reason, Slot } from "../schema/slot.ts";
import type { ValidateAnswer } from "../schema.ts";
import { termsOf } from "./places.ts";
import type { Place } from "./places.ts";
import { quoteFee } from "./quote-fee.ts";
import type { Address } from "./resolve-address.ts";

export interface AnswerParts {
  readonly address: Address;
  readonly country: string;
  readonly currency: string;
  readonly basketTotal: number;
  readonly place: Place | null;
  /** The requested slot, if it exists. */
  readonly slot: Slot | null;
  /** Why the requested slot or day is not available. */
  readonly slotReasons: readonly Reason[];
}

/** Composes the response of a delivery validation, but for the next slots: `deliverable` is true if there are no reasons against it. */
export function composeAnswer(parts: AnswerParts): Omit<ValidateAnswer, "next_slots"> {
  const { address, place, basketTotal, slot } = parts;
  const terms = place === null ? null : termsOf(place);
  const quote = terms === null ? null : quoteFee(terms, basketTotal, slot?.fee_delta ?? 0);
  const reasons: Reason[] = [
    ...(address.reason === null ? [] : [address.reason]),
    ...(quote !== null && quote.toMinimum > 0
      ? [{ code: "below_minimum_order" as const, detail: "The basket is below the zone's minimum order." }]
      : []),
    ...parts.slotReasons,
  ];
  return {
    deliverable: reasons.length === 0,
    ...placeOf(address),
    country: parts.country,
    estimate: address.match?.estimate ?? false,
    zone: place?.kind === "zone" ? { id: place.zone.id, name: place.zone.name } : null,
    location: place?.kind === "location" ? { id: place.location.id, name: place.location.name } : null,
    currency: parts.currency,
    basket_total: basketTotal,
    fee: quote?.fee ?? null,
    minimum_order: terms?.minimum_order ?? null,
    free_delivery_from: quote?.freeFrom ?? null,
    amount_to_minimum: quote?.toMinimum ?? null,
    amount_to_free_delivery: quote?.toFree ?? null,
    slot,
    ...(address.suggestion === null ? {} : { suggestion: address.suggestion }),
    ...(address.correctedFrom === null ? {} : { corrected_from: address.correctedFrom }),
    reasons,
  };
}

/** What follows from the postcode itself, even if it is not delivered to. */
export function placeOf({
  parsed,
}: Address): Pick<ValidateAnswer, "postcode" | "precision" | "outcode" | "area" | "region"> {
  if (parsed.ok) {
    const { postcode, precision, outcode, area, region } = parsed.value;
    return { postcode, precision, outcode, area, region };
  }
  return { postcode: parsed.postcode, precision: "none", outcode: null, area: null, region: parsed.region };
}
