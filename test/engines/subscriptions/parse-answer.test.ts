import { describe, expect, it } from "vitest";

import { CallbackBody, parseResult } from "../../../server/engines/subscriptions/rules/parse-answer.ts";
import { parseJson } from "../../../server/lib/parse-json.ts";

describe("answers of a gateway", () => {
  it.each([
    [
      { status: "succeeded", ref: "ch_1", more: 1 },
      { status: "succeeded", ref: "ch_1" },
    ],
    [{ status: "pending" }, { status: "pending", ref: null }],
    [
      { status: "failed", failure: { category: "hard" } },
      {
        status: "failed",
        ref: null,
        failure: { category: "hard", code: "declined", message: "The payment was declined." },
      },
    ],
    [
      { status: "requires_action", action_url: "https://bank.example/" },
      { status: "requires_action", ref: null, action_url: "https://bank.example/" },
    ],
  ])("%j", (value, result) => expect(parseResult(value)).toEqual(result));

  it("is nothing when it cannot be understood", () => {
    const wrong = [
      null,
      "ok",
      {},
      { status: "done" },
      { status: "requires_action", action_url: "javascript:alert(1)" },
    ];
    for (const value of wrong) expect(parseResult(value)).toBeNull();
    expect(parseJson("{")).toBeUndefined();
  });

  it("a callback names the payment it is about", () => {
    expect(CallbackBody.safeParse({ type: "x", data: { key: "chg_1-1", status: "succeeded" } }).success).toBe(
      true,
    );
    expect(CallbackBody.safeParse({ type: "x", data: { status: "succeeded" } }).success).toBe(false);
  });
});
