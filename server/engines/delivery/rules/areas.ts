import { tooManyPositions } from "../schema/zone.ts";
import type { Area, Coordinates } from "../schema/zone.ts";

type Position = readonly [longitude: number, latitude: number];
type Ring = readonly Position[];

/** Mean radius of the Earth (IUGG). */
const EARTH_METERS = 6_371_008.8;

/**
 * True if coordinates are within an area; its boundary belongs to it, that of a hole too. Polygons are plain figures of
 * longitude and latitude (RFC 7946 §3.1.1): one that crosses the antimeridian must be cut there into two.
 */
export function isInArea(area: Area, { latitude, longitude }: Coordinates): boolean {
  const point: Position = [longitude, latitude];
  if (area.type === "Circle") return metersBetween(point, area.coordinates) <= area.radius_meters;
  const polygons = area.type === "Polygon" ? [area.coordinates] : area.coordinates;
  return polygons.some(([outline = [], ...holes]) => {
    return sideOf(outline, point) !== "outside" && !holes.some((hole) => sideOf(hole, point) === "inside");
  });
}

/** Distance on the surface of a sphere, by the haversine formula. */
export function metersBetween(a: Position, b: Position): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [east, north] = [radians(b[0] - a[0]), radians(b[1] - a[1])];
  const chord =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a[1])) * Math.cos(radians(b[1])) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/**
 * On which side of a closed ring a point is, by counting the edges that a line to the east of it crosses. An edge has its
 * lower end but not its upper one, so that a vertex on that line counts once; horizontal edges do not count.
 */
function sideOf(ring: Ring, [x, y]: Position): "inside" | "outside" | "boundary" {
  let isInside = false;
  for (const [at, [x1, y1]] of ring.entries()) {
    const [x2, y2] = ring[at + 1] ?? [x1, y1];
    const turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
    const isBeside = Math.min(x1, x2) <= x && x <= Math.max(x1, x2);
    if (turn === 0 && isBeside && Math.min(y1, y2) <= y && y <= Math.max(y1, y2)) return "boundary";
    if (y1 > y !== y2 > y && turn > 0 === y2 > y1) isInside = !isInside;
  }
  return isInside ? "inside" : "outside";
}

/** Checks that the rings are closed and have an extent, and the number of positions. Returns the error, or null. */
export function checkArea(area: Area, positionsMax: number): string | null {
  if (area.type === "Circle") return null;
  const rings = area.type === "Polygon" ? area.coordinates : area.coordinates.flat();
  if (rings.reduce((sum, ring) => sum + ring.length, 0) > positionsMax) {
    return tooManyPositions(positionsMax);
  }
  for (const ring of rings) {
    const [first, last] = [ring[0], ring.at(-1)];
    if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
      return "A ring must end with the position that it starts with.";
    }
    if (new Set(ring.map(([x, y]) => `${x} ${y}`)).size < 3) {
      return "A ring must have at least three different positions.";
    }
    const widths = ring.slice(1).map(([x], at) => Math.abs(x - (ring[at]?.[0] ?? x)));
    if (widths.some((width) => width > HALF_TURN && width < 2 * HALF_TURN)) {
      return "A ring that crosses the antimeridian must be cut there into two polygons (RFC 7946, section 3.1.9).";
    }
  }
  return null;
}

/** An edge from one side of the antimeridian to the other would be read as one around the rest of the Earth. */
const HALF_TURN = 180;

/** How an area is named in an explanation. */
export const nameOfArea = (area: Area): string =>
  area.type === "Circle" ? `the area within ${area.radius_meters} m` : "the area on the map";
