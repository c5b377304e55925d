import { describe, expect, it } from "vitest";

import {
  actionOf,
  isOpenRequest,
  nextQuoteStatus,
  statusBeforeSpam,
} from "../../../server/engines/forms/rules/quote-state.ts";
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
    ["spam", ["new", "triaged", "quoted"], "spam"],
  ] as const)("%s from %j", (action, from, to) => {
    for (const status of QuoteRequestStatus.options) {
      const expected = from.some((one) => one === status) ? to : null;
      expect([status, nextQuoteStatus(action, status)]).toEqual([status, expected]);
    }
  });

  it("was something before it was called spam", () => {
    const entry = (what: "received" | "triaged" | "spam") =>
      ({ at: "2026-06-01T09:00:00.000Z", what, by: "shop", note: "" }) as const;
    const before = (quote: string | null, ...whats: ("received" | "triaged" | "spam")[]) =>
      statusBeforeSpam({ quote_id: quote, timeline: whats.map(entry) });
    expect(before(null, "received", "spam")).toBe("new");
    expect(before(null, "received", "triaged", "spam")).toBe("triaged");
    expect(before("cqt_1", "received", "triaged", "spam")).toBe("quoted");
  });

  it("goes with the kitchen's quote", () => {
    expect(
      ["draft", "sent", "accepted", "converted", "declined", "withdrawn", "expired"].map(actionOf),
    ).toEqual([null, null, "accept", "accept", "decline", "withdraw", "expire"]);
    expect(QuoteRequestStatus.options.filter(isOpenRequest)).toEqual(["new", "triaged", "quoted"]);
  });
});
