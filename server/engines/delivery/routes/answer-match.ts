import type { z } from "zod";

import type { Plan } from "../rules/compile-plan.ts";
import { placeOf } from "../rules/compose-answer.ts";
import { findAddress } from "../services/find-address.ts";
import type { AddressQuery } from "../services/find-address.ts";
import type { MatchAnswer } from "../schema.ts";

/** Which zone a postcode or outcode belongs to, and why. */
export async function answerMatch(
  part: string,
  plan: Plan,
  request: AddressQuery,
): Promise<z.output<typeof MatchAnswer>> {
  const address = await findAddress(part, plan.index, request, false);
  const zone = plan.zonesById.get(address.match?.zoneId ?? "");
  const place = placeOf(address);
  return {
    postcode: place.postcode,
    country: request.country,
    precision: place.precision,
    estimate: address.match?.estimate ?? false,
    zone: zone === undefined ? null : { id: zone.id, name: zone.name },
    ...(address.suggestion === null ? {} : { suggestion: address.suggestion }),
    candidates: [...(address.match?.candidates ?? [])],
    reasons: address.reason === null ? [] : [address.reason],
  };
}
