import { z } from "zod";

import { Id, Minor, resourceFields } from "../../../core/schema.ts";
import { DELIVERY_LIMITS } from "./limits.ts";
import { Country, Minutes } from "./settings.ts";

export const Level = z.enum([
  "polygon",
  "radius",
  "unit",
  "sector",
  "outcode",
  "district",
  "prefix",
  "range",
  "area",
  "all",
]);
export type Level = z.output<typeof Level>;

export const PatternText = z.string().min(1).max(32);

export const FeeTierRow = z.object({ id: Id, from: Minor, fee: Minor });
export type FeeTierRow = z.output<typeof FeeTierRow>;

export const FeeTier = FeeTierRow.extend({ zone_id: Id });
export type FeeTier = z.output<typeof FeeTier>;

/** How an order reaches the customer. Any other channel is a sales channel, such as `web`. */
export const METHODS = ["delivery", "pickup", "dine_in"] as const;

export const Channel = z.string().regex(/^[a-z0-9_-]{1,32}$/);

const Degrees = z.number().min(-180).max(180);

/** Longitude, latitude. A tuple of equal members is a list in the OpenAPI document, which every tool can draw. */
const Position = z.tuple([Degrees, Degrees]).refine(([, latitude]) => Math.abs(latitude) <= 90, {
  path: [1],
  message: "A latitude must be between -90 and 90. Positions are longitude, latitude.",
});

const Ring = z.array(Position).min(4);

const Rings = z.array(Ring).min(1);

export const tooManyPositions = (max: number): string => `An area has at most ${max} positions.`;

/** Lists and numbers that the coordinates of the largest area consist of: three for a position, two for a ring of four. */
const AREA_VALUES_MAX = 4 * DELIVERY_LIMITS.positionsPerArea;

/** Counts lists and what is in them, up to a number. */
function countWithin(value: unknown, max: number): number {
  if (!Array.isArray(value)) return 1;
  let count = 1;
  for (const part of value) {
    if (count > max) break;
    count += countWithin(part, max - count);
  }
  return count;
}

/** GeoJSON (RFC 7946) geometries, and a circle, which GeoJSON does not have. Positions are longitude, latitude. */
export const Area = z.preprocess(
  (raw, context) => {
    // Checking tens of thousands of positions takes much longer than counting them.
    const coordinates: unknown = Object(raw).coordinates;
    if (countWithin(coordinates, AREA_VALUES_MAX) <= AREA_VALUES_MAX) return raw;
    context.addIssue({
      code: "custom",
      path: ["coordinates"],
      message: tooManyPositions(DELIVERY_LIMITS.positionsPerArea),
      input: raw,
    });
    return z.NEVER;
  },
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("Circle"),
      coordinates: Position,
      radius_meters: z.number().min(1).max(500_000),
    }),
    z.strictObject({ type: z.literal("Polygon"), coordinates: Rings }),
    z.strictObject({ type: z.literal("MultiPolygon"), coordinates: z.array(Rings).min(1) }),
  ]),
);
export type Area = z.output<typeof Area>;

export const Coordinates = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});
export type Coordinates = z.output<typeof Coordinates>;

/** The writable fields of a zone, without its tiers. */
export const zoneFields = {
  name: z.string().trim().min(1).max(120),
  country: Country,
  patterns: z
    .array(PatternText)
    .max(DELIVERY_LIMITS.patternsPerZone)
    .meta({ description: "SW1A 1AA, SW1A 1, SW1A, SW1, SW1-SW9, SW or *" }),
  excludes: z.array(PatternText).max(DELIVERY_LIMITS.patternsPerZone),
  area: Area.nullable().meta({
    description:
      "GeoJSON Polygon or MultiPolygon, or a Circle; matched with the coordinates of a request. Positions are longitude, latitude",
  }),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .meta({ description: "Precedence between equally specific patterns" }),
  active: z.boolean(),
  minimum_order: Minor,
  free_from: Minor.nullable().meta({ description: "Shorthand for a last tier with fee 0" }),
  lead_minutes: Minutes.nullable(),
};

export const Zone = z.object({
  ...resourceFields,
  ...zoneFields,
  fee_tiers: z.array(FeeTierRow),
  slot_window_ids: z.array(Id).meta({ description: "Derived from zone_ids of the slot windows" }),
});
export type Zone = z.output<typeof Zone>;

export const Outcode = z.object({ pattern: PatternText, level: Level, zone_id: Id, exclude: z.boolean() });
export type Outcode = z.output<typeof Outcode>;

export const Region = z.enum(["geographic", "crown_dependency", "forces", "non_geographic", "special"]);
export type Region = z.output<typeof Region>;
