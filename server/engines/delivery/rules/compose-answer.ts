import type { Reason, Slot, ValidateAnswer, Zone } from "../schema.ts";
import { quoteFee } from "./quote-fee.ts";
import type { Address } from "./resolve-address.ts";

export interface AnswerParts {
  readonly address: Address;
  readonly country: string;
  readonly currency: string;
  readonly basketTotal: number;
  readonly zone: Zone | null;
  /** The requested slot, if it exists. */
  readonly slot: Slot | null;
  /** Why the requested slot or day is not available. */
  readonly slotReasons: readonly Reason[];
  readonly nextSlots: readonly Slot[];
}

/** Composes the response of a delivery validation: `deliverable` is true if there are no reasons against it. */
export function composeAnswer(parts: AnswerParts): ValidateAnswer {
  const { address, zone, basketTotal, slot } = parts;
  const quote = zone === null ? null : quoteFee(zone, basketTotal, slot?.fee_delta ?? 0);
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
    zone: zone === null ? null : { id: zone.id, name: zone.name },
    currency: parts.currency,
    basket_total: basketTotal,
    fee: quote?.fee ?? null,
    minimum_order: zone?.minimum_order ?? null,
    free_delivery_from: quote?.freeFrom ?? null,
    amount_to_minimum: quote?.toMinimum ?? null,
    amount_to_free_delivery: quote?.toFree ?? null,
    slot,
    next_slots: [...parts.nextSlots],
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
