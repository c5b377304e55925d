import { describe, expect, it } from "vitest";

import { actionOf, isOpenRequest, nextQuoteStatus } from "../../../server/engines/forms/rules/quote-state.ts";
import { QuoteRequestStatus } from "../../../server/engines/forms/schema/quote-request.ts";

describe("states of a quote request", () => {
  it.each([
    ["triage", ["new"], "triaged"],
    ["quote", ["new", "triaged"], "quoted"],
    ["accept", ["quoted"], "accepted"],
    ["convert", ["accepted"], "converted"],
    ["decline", ["new", "triaged", "quoted"], "declined"],
    ["withdraw", ["new", "triaged", "quoted"], "withdrawn"],
    ["expire", ["new", "triaged", "quoted"], "expired"],
  ] as const)("%s from %j", (action, from, to) => {
    for (const status of QuoteRequestStatus.options) {
      const expected = from.some((one) => one === status) ? to : null;
      expect([status, nextQuoteStatus(action, status)]).toEqual([status, expected]);
    }
  });

  it("goes with the kitchen's quote", () => {
    expect(
      ["draft", "sent", "accepted", "converted", "declined", "withdrawn", "expired"].map(actionOf),
    ).toEqual([null, null, "accept", "accept", "decline", "withdraw", "expire"]);
    expect(QuoteRequestStatus.options.filter(isOpenRequest)).toEqual(["new", "triaged", "quoted"]);
  });
});
