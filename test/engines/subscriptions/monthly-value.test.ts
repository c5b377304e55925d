import { expect, it } from "vitest";

import { monthlyValue } from "../../../server/engines/subscriptions/rules/monthly-value.ts";
import { contractOf } from "./fixture.ts";

it.each([
  ["month", 1, 1000],
  ["month", 3, 333],
  ["year", 1, 83],
  ["week", 1, 4345],
  ["week", 2, 2173],
  ["day", 30, 1014],
])("10.00 every %s × %i is %i a month", (unit, count, amount) =>
  expect(monthlyValue(contractOf({ interval: { unit, count } }))).toBe(amount),
);
