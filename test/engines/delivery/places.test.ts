import { describe, expect, it } from "vitest";

import {
  defaultChannel,
  isInHours,
  isOffered,
  leadOf,
  placeIdOf,
  placeOffers,
  termsOf,
} from "../../../server/engines/delivery/rules/places.ts";
import type { Place } from "../../../server/engines/delivery/rules/places.ts";
import type { Location } from "../../../server/engines/delivery/schema/location.ts";
import { Z1 } from "./fixture.ts";

const zone: Place = { kind: "zone", zone: Z1 };
const at = (more: Partial<Location> = {}): Place => ({
  kind: "location",
  location: {
    id: "loc_1",
    created_at: Z1.created_at,
    updated_at: Z1.updated_at,
    name: "Bakery",
    address: "",
    channels: ["dine_in", "pickup"],
    hours: [],
    lead_minutes: 30,
    ...more,
  },
});

describe("places", () => {
  it("a zone delivers on its terms, a location has none", () => {
    expect([placeIdOf(zone), defaultChannel(zone), leadOf(zone), termsOf(zone)]).toEqual([
      "zon_1",
      "delivery",
      null,
      Z1,
    ]);
    expect([placeIdOf(at()), defaultChannel(at()), leadOf(at())]).toEqual(["loc_1", "dine_in", 30]);
    expect(termsOf(at())).toEqual({ fee_tiers: [], free_from: null, minimum_order: 0 });
  });

  it.each([
    [[], "delivery", true],
    [[], "web", true],
    [["pickup"], "pickup", true],
    [["pickup"], "delivery", false],
    [["pickup"], "web", false],
    [["web"], "delivery", true],
    [["web"], "dine_in", true],
    [["web"], "app", false],
    [["web", "pickup"], "delivery", false],
    [["web", "pickup"], "web", true],
  ])("a window for %j in %s: %s", (channels, channel, expected) => {
    expect(isOffered({ channels }, channel)).toBe(expected);
  });

  it("a location offers its own methods, and every sales channel", () => {
    expect(["pickup", "delivery", "web"].map((channel) => placeOffers(at(), channel))).toEqual([
      true,
      false,
      true,
    ]);
    expect(["pickup", "delivery", "web"].map((channel) => placeOffers(zone, channel))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    ["within the hours", "09:00", "12:00", "mon", true],
    ["the whole of the hours", "08:00", "17:00", "mon", true],
    ["before they begin", "07:59", "10:00", "mon", false],
    ["after they end", "16:00", "17:01", "mon", false],
    ["on a day without hours", "09:00", "12:00", "sun", false],
    ["over midnight", "23:00", "02:00", "fri", true],
    ["after midnight, of the evening before", "01:00", "03:00", "sat", true],
    ["after midnight, of no evening", "01:00", "03:00", "fri", false],
    ["over hours that touch", "11:00", "13:00", "wed", true],
    ["over a break", "11:00", "14:30", "wed", false],
    ["over hours that touch at midnight", "23:00", "01:00", "sat", true],
  ] as const)("%s", (...[, start, end, weekday, expected]) => {
    const place = at({
      hours: [
        { days: ["mon"], start: "08:00", end: "17:00" },
        { days: ["fri"], start: "20:00", end: "03:00" },
        { days: ["wed"], start: "12:00", end: "14:00" },
        { days: ["wed"], start: "09:00", end: "12:00" },
        { days: ["wed"], start: "14:01", end: "18:00" },
        { days: ["sat"], start: "20:00", end: "00:00" },
        { days: ["sun"], start: "00:00", end: "02:00" },
      ],
    });
    expect(isInHours(place, { start, end }, weekday)).toBe(expected);
    expect(isInHours(at(), { start, end }, weekday)).toBe(true);
    expect(isInHours(zone, { start, end }, weekday)).toBe(true);
  });
});
