import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checkArea, isInArea, metersBetween } from "../../../server/engines/delivery/rules/areas.ts";
import type { Area } from "../../../server/engines/delivery/schema/zone.ts";
import { seeded } from "../../seeded.ts";

type Position = [number, number];
const close = (corners: readonly Position[]): Position[] => [...corners, ...corners.slice(0, 1)];
const polygon = (...rings: (readonly Position[])[]): Area => ({
  type: "Polygon",
  coordinates: rings.map(close),
});
const at = (area: Area, longitude: number, latitude: number): boolean =>
  isInArea(area, { latitude, longitude });

const square: Position[] = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
];
const hole: Position[] = [
  [1, 1],
  [3, 1],
  [3, 3],
  [1, 3],
];
/** A V whose lowest point is on the height of the test points. */
const notched: Position[] = [
  [0, 0],
  [4, 0],
  [4, 4],
  [2, 2],
  [0, 4],
];

describe("isInArea", () => {
  it.each<[string, Area, number, number, boolean]>([
    ["inside", polygon(square), 2, 2, true],
    ["outside to the east, level with two vertices", polygon(square), 5, 4, false],
    ["outside to the west, level with an edge", polygon(square), -1, 0, false],
    ["on an edge", polygon(square), 2, 0, true],
    ["on a vertex", polygon(square), 4, 4, true],
    ["in the continuation of an edge", polygon(square), 4, 5, false],
    ["in a hole", polygon(square, hole), 2, 2, false],
    ["on the boundary of a hole", polygon(square, hole), 1, 2, true],
    ["beside a hole", polygon(square, hole), 0.5, 2, true],
    ["level with the tip of a notch, left of it", polygon(notched), 1, 2, true],
    ["level with the tip of a notch, on it", polygon(notched), 2, 2, true],
    ["in a notch", polygon(notched), 2, 3, false],
    ["clockwise", polygon(square.toReversed()), 2, 2, true],
    ["in the second polygon", two(), 11, 1, true],
    ["between two polygons", two(), 7, 1, false],
  ])("%s", (...[, area, x, y, expected]) => expect(at(area, x, y)).toBe(expected));

  function two(): Area {
    const shifted = square.map(([x, y]): Position => [x + 10, y]);
    return { type: "MultiPolygon", coordinates: [[close(square)], [close(shifted)]] };
  }

  it("measures a circle on the sphere", () => {
    // One degree of a great circle.
    expect(metersBetween([0, 0], [0, 1])).toBeCloseTo(111_195.08, 1);
    expect(metersBetween([179.5, 0], [-179.5, 0])).toBeCloseTo(111_195.08, 1);
    expect(metersBetween([0, 60], [1, 60])).toBeCloseTo(55_597.0, -1);
    expect(metersBetween([10, 90], [-120, 90])).toBeCloseTo(0, 3);
    const area: Area = { type: "Circle", coordinates: [-0.1278, 51.5074], radius_meters: 5_000 };
    expect(at(area, -0.1278, 51.5523)).toBe(true);
    expect(at(area, -0.1278, 51.5525)).toBe(false);
    expect(at(area, -0.2, 51.5074)).toBe(true);
    expect(at(area, -0.2002, 51.5074)).toBe(false);
  });

  it("agrees with the sum of angles, for any star around a centre", () => {
    const star = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 3, maxLength: 24 });
    const coordinate = fc.integer({ min: -60, max: 60 });
    fc.assert(
      fc.property(star, coordinate, coordinate, (radii, x, y) => {
        const corners = radii.map((radius, index): Position => {
          const angle = (2 * Math.PI * index) / radii.length;
          return [radius * Math.cos(angle), radius * Math.sin(angle)];
        });
        const turns = windings(close(corners), [x, y]);
        // The sum of angles is not defined on the boundary.
        fc.pre(turns !== null);
        expect(at(polygon(corners), x, y)).toBe(turns !== 0);
        expect(at(polygon(corners.toReversed()), x, y)).toBe(turns !== 0);
      }),
      seeded(),
    );
  });
});

/** Turns of a closed ring around a point; null near the boundary. */
function windings(ring: readonly Position[], [x, y]: Position): number | null {
  let sum = 0;
  for (const [index, [x1, y1]] of ring.slice(0, -1).entries()) {
    const [x2, y2] = ring[index + 1] ?? [x1, y1];
    const turn = (x1 - x) * (y2 - y) - (y1 - y) * (x2 - x);
    const along = (x1 - x) * (x2 - x) + (y1 - y) * (y2 - y);
    if (Math.abs(turn) < 1e-6 && along <= 1e-6) return null;
    sum += Math.atan2(turn, along);
  }
  return Math.round(sum / (2 * Math.PI));
}

describe("checkArea", () => {
  it.each([
    ["a closed ring", polygon(square), null],
    ["a circle", { type: "Circle" as const, coordinates: [0, 0] as Position, radius_meters: 1 }, null],
    [
      "an open ring",
      { type: "Polygon" as const, coordinates: [square] },
      "A ring must end with the position that it starts with.",
    ],
    [
      "a line",
      polygon([
        [0, 0],
        [1, 1],
        [0, 0],
      ]),
      "A ring must have at least three different positions.",
    ],
    [
      "an island on both sides of the antimeridian in one ring",
      polygon([
        [179.8, -17],
        [-179.8, -17],
        [-179.8, -16],
        [179.8, -16],
        [179.8, -17],
      ]),
      "A ring that crosses the antimeridian must be cut there into two polygons (RFC 7946, section 3.1.9).",
    ],
    [
      "the whole Earth",
      polygon([
        [-180, -90],
        [180, -90],
        [180, 90],
        [-180, 90],
        [-180, -90],
      ]),
      null,
    ],
  ])("%s", (_, area, expected) => expect(checkArea(area, 100)).toBe(expected));

  it("counts the positions of all rings", () => {
    expect(checkArea(polygon(square, hole), 10)).toBeNull();
    expect(checkArea(polygon(square, hole), 9)).toBe("An area has at most 9 positions.");
  });
});
