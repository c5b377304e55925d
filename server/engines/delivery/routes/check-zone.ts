import { conflict, fail, invalidField } from "../../../lib/errors.ts";
import type { FieldError } from "../../../lib/errors.ts";
import { runInSlices } from "../../../lib/slices.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { checkArea } from "../rules/areas.ts";
import { checkFeeTiers } from "../rules/fee-tiers.ts";
import { lintZonesSteps } from "../rules/lint-zones.ts";
import { parsePattern } from "../rules/parse-pattern.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import type { Zone } from "../schema/zone.ts";

/**
 * Validates a zone against the others and returns it with unique patterns in canonical form.
 * Throws 422 for an invalid pattern and for tiers out of order, 409 `pattern_conflict` if a pattern of another
 * active zone with the same priority overlaps. `key`: for whom it is, see `runInSlices`.
 */
export async function checkZone(zone: Zone, plan: Plan, key: string): Promise<Zone> {
  const patterns = await runInSlices(canonicalSteps(zone.patterns, zone.country, "patterns"), key);
  const excludes = await runInSlices(canonicalSteps(zone.excludes, zone.country, "excludes"), key);
  const fault = checkFeeTiers(zone.fee_tiers, zone.free_from);
  if (fault !== null) throw invalidField(["fee_tiers"], fault);
  const areaFault = zone.area === null ? null : checkArea(zone.area, DELIVERY_LIMITS.positionsPerArea);
  if (areaFault !== null) throw invalidField(["area", "coordinates"], areaFault);
  const checked = { ...zone, patterns, excludes };
  const others = plan.zones.filter(({ id }) => id !== zone.id);
  refuseTooMany(checked, others);
  const conflicts = await runInSlices(lintZonesSteps([...others, checked]), key);
  const overlap = conflicts.find(({ zoneId, otherZoneId }) => zoneId === zone.id || otherZoneId === zone.id);
  if (overlap === undefined) return checked;
  const { pattern, zoneId, otherPattern, otherZoneId } = overlap;
  throw conflict(
    "pattern_conflict",
    `${pattern} of zone ${zoneId} and ${otherPattern} of zone ${otherZoneId} are equally specific and overlap. Set ` +
      "different priorities for the zones.",
  );
}

/** Unique patterns in canonical form, one in each step; throws 422 with one entry per invalid pattern. */
export function* canonicalSteps(
  texts: readonly string[],
  country: string,
  field: string,
): Generator<undefined, string[]> {
  const errors: FieldError[] = [];
  const unique = new Set<string>();
  for (const [index, text] of texts.entries()) {
    yield;
    const parsed = parsePattern(text, country);
    if (parsed.ok) unique.add(parsed.pattern.text);
    else errors.push({ pointer: `#/${field}/${index}`, detail: parsed.detail });
  }
  if (errors.length === 0) return [...unique];
  const count = errors.length === 1 ? "1 field is" : `${errors.length} fields are`;
  throw fail("unprocessable_content", `${count} invalid.`, { errors });
}

function refuseTooMany(zone: Zone, others: readonly Zone[]): void {
  const count = [zone, ...others].reduce((sum, each) => sum + each.patterns.length + each.excludes.length, 0);
  if (zone.patterns.length > DELIVERY_LIMITS.patternsPerZone) {
    throw invalidField(["patterns"], `A zone has at most ${DELIVERY_LIMITS.patternsPerZone} patterns.`);
  }
  if (count > DELIVERY_LIMITS.patternsPerStore) {
    throw invalidField(
      ["patterns"],
      `The zones of a store have at most ${DELIVERY_LIMITS.patternsPerStore} patterns together.`,
    );
  }
}

/** 409 if deleting a document would change more other documents than one commit allows. */
export function refuseManyLinks(count: number): void {
  if (count <= DELIVERY_LIMITS.linksPerRemoval) return;
  throw conflict(
    "too_many_links",
    `${count} slot windows and blocked dates refer to it. Remove most of these references first.`,
  );
}

/** 409 if the store has reached its limit of a resource. */
export function refuseWhenFull(count: number, limit: number, noun: string): void {
  if (count < limit) return;
  throw conflict("limit_reached", `The limit of ${limit} ${noun} per store is reached. Delete one first.`);
}
