import { runInSlices } from "../../../lib/slices.ts";
import { areasAtSteps } from "../rules/match-zone.ts";
import type { ZoneIndex } from "../rules/match-zone.ts";
import { resolveAddress } from "../rules/resolve-address.ts";
import type { Address } from "../rules/resolve-address.ts";
import type { Coordinates } from "../schema/zone.ts";

export interface AddressQuery {
  readonly postcode: string;
  readonly country: string;
  readonly coordinates?: Coordinates | undefined;
}

/** Finds the zone of an address as `resolveAddress` does. The zones of a store can have 200,000 positions: with pauses. */
export async function findAddress(
  part: string,
  index: ZoneIndex,
  { coordinates, country, postcode }: AddressQuery,
  autocorrect: boolean,
): Promise<Address> {
  const areas = coordinates && (await runInSlices(areasAtSteps(index, country, coordinates), part));
  return resolveAddress(index, { postcode, country, areas }, autocorrect);
}
