import { expect, it } from "vitest";

import { attribute } from "../../../server/engines/cart/rules/attribute.ts";

const step = (at: string | null, state: "sent" | "skipped" = "sent") => ({
  n: 1,
  due_at: "2025-06-10T09:00:00.000Z",
  state,
  reason: null,
  at,
  template: "abandoned-cart-first",
  coupon_offer_id: null,
  coupon: null,
});
const SENT = "2025-06-10T09:00:00.000Z";
const ORDER = "2025-06-15T09:00:00.000Z";

it.each([
  ["recovered", [SENT], [step(SENT)], ORDER],
  ["assisted", [], [step(SENT)], ORDER],
  ["assisted: the click is too old", ["2025-06-10T08:59:59.999Z"], [step(SENT)], ORDER],
  ["nothing: the mail is too old", [], [step("2025-06-10T08:59:59.999Z")], ORDER],
  ["nothing: the mail was skipped", [], [step(SENT, "skipped")], ORDER],
  ["nothing: the order came before", ["2025-06-16T09:00:00.000Z"], [step("2025-06-16T09:00:00.000Z")], ORDER],
] as const)("%s", (name, clicks, steps, placed) => {
  const expected = /^(recovered|assisted)/.exec(name)?.[1] ?? null;
  expect(attribute({ clicks: [...clicks], steps: [...steps] }, placed)).toBe(expected);
});
