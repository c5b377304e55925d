import { expect, it } from "vitest";

import { unitSaving } from "../../../server/engines/cart/rules/unit-saving.ts";

it.each([
  ["free", 999, { kind: "free", value: 0 }, 999],
  ["a half is rounded up", 1999, { kind: "percent_off", value: 2500 }, 500],
  ["half of a penny", 1, { kind: "percent_off", value: 5000 }, 1],
  ["an amount", 500, { kind: "amount_off", value: 120 }, 120],
  ["no more than the price", 100, { kind: "amount_off", value: 120 }, 100],
  ["a fixed price", 500, { kind: "fixed_price", value: 120 }, 380],
  ["a fixed price raises nothing", 100, { kind: "fixed_price", value: 120 }, 0],
] as const)("%s", (_, price, value, saving) => expect(unitSaving(price, value)).toBe(saving));
