import { expect, it } from "vitest";

import { zoneOf } from "../../../server/engines/catering/rules/calendar-zone.ts";

it.each([
  ["Europe/Paris", "Europe/Paris"],
  ['"Europe/Paris"', "Europe/Paris"],
  ["/freeassociation.sourceforge.net/Europe/Paris", "Europe/Paris"],
  ["W. Europe Standard Time", "Europe/Berlin"],
  ["GMT Standard Time", "Europe/London"],
  ["GMT Standard Time 1", "Europe/London"],
  ["Pacific Standard Time", "America/Los_Angeles"],
  ["Customized Time Zone", null],
  ["../../etc/passwd", null],
  ["constructor", null],
  ["", null],
])("%s", (tzid, expected) => expect(zoneOf(tzid)).toBe(expected));
