import { expect, it } from "vitest";

import { isExpired, isOpen, mayTake } from "../../../server/engines/catering/rules/quote-state.ts";
import { QuoteStatus } from "../../../server/engines/catering/schema.ts";
import { ms, quote } from "./make.ts";

const from = (action: Parameters<typeof mayTake>[0]) =>
  QuoteStatus.options.filter((status) => mayTake(action, status));

it("takes each step only from where it leads", () => {
  expect(from("edit")).toEqual(["draft"]);
  expect(from("send")).toEqual(["draft"]);
  expect(from("revise")).toEqual(["sent", "viewed"]);
  expect(from("accept")).toEqual(["sent", "viewed"]);
  expect(from("decide")).toEqual(["awaiting_approval"]);
  expect(from("convert")).toEqual(["awaiting_approval", "accepted"]);
  expect(QuoteStatus.options.filter(isOpen)).toEqual(["sent", "viewed"]);
});

it("is over at valid_until, but only while it was open", () => {
  const at = ms("2026-06-12T16:00:00.000Z");
  expect([isExpired(quote(), at - 1), isExpired(quote(), at)]).toEqual([false, true]);
  expect(isExpired(quote({ status: "converted" }), at)).toBe(false);
});
