import { describe, expect, it } from "vitest";

import {
  readStripeToken,
  toChargeAnswer,
  toRefundAnswer,
  toStripeAmount,
} from "../../../server/engines/subscriptions/rules/stripe-answer.ts";

const PAGE = "https://shop.example/page";
const error = (type: string, more: object = {}) => ({ error: { type, message: "No.", ...more } });
const intent = (status: string, fault?: object) => ({
  id: "pi_1",
  status,
  last_payment_error: fault ?? null,
});
const statusOf = (status: number, body: unknown): string => {
  const answer = toChargeAnswer({ status, body }, PAGE);
  return answer.status === "failed"
    ? `failed ${answer.failure.category} ${answer.failure.code}`
    : answer.status;
};

describe("an answer about a payment", () => {
  it.each([
    ["succeeded", 200, intent("succeeded"), "succeeded"],
    ["processing", 200, intent("processing"), "pending"],
    ["asks the customer", 200, intent("requires_action"), "requires_action"],
    ["cancelled", 200, intent("canceled"), "failed action action_timeout"],
    ["never confirmed", 200, intent("requires_payment_method"), "unknown"],
    ["a state that is not of this integration", 200, intent("requires_capture"), "unknown"],
    ["no PaymentIntent", 200, { hello: "world" }, "unknown"],
    ["not JSON", 200, undefined, "unknown"],
    [
      "declined",
      402,
      error("card_error", { code: "card_declined", decline_code: "do_not_honor" }),
      "failed soft do_not_honor",
    ],
    [
      "declined, and the network advises against another attempt",
      402,
      error("card_error", {
        code: "card_declined",
        decline_code: "do_not_honor",
        advice_code: "do_not_try_again",
      }),
      "failed hard do_not_honor",
    ],
    [
      "needs authentication",
      402,
      error("card_error", {
        code: "authentication_required",
        payment_intent: intent("requires_payment_method", { code: "authentication_required" }),
      }),
      "requires_action",
    ],
    [
      "an invalid amount",
      400,
      error("invalid_request_error", { code: "amount_too_small" }),
      "failed config amount_too_small",
    ],
    [
      "a parameter that is unknown",
      400,
      error("invalid_request_error"),
      "failed config invalid_request_error",
    ],
    [
      "no such payment method",
      400,
      error("invalid_request_error", { code: "resource_missing" }),
      "failed method resource_missing",
    ],
    ["a key that was withdrawn", 401, error("invalid_request_error"), "failed config invalid_request_error"],
    ["the key with other parameters", 400, error("idempotency_error"), "unknown"],
    ["the key in use", 409, error("idempotency_error"), "unknown"],
    ["too many requests", 429, error("invalid_request_error", { code: "rate_limit" }), "unknown"],
    ["a fault of Stripe", 500, error("api_error"), "unknown"],
    ["a proxy that answers", 502, undefined, "unknown"],
  ])("%s", (...[, status, body, expected]) => expect(statusOf(status, body)).toBe(expected));
});

describe("an answer about a refund", () => {
  it.each([
    ["made", 200, { id: "re_1", status: "succeeded" }, "succeeded"],
    ["on its way", 200, { id: "re_1", status: "pending" }, "succeeded"],
    ["failed", 200, { id: "re_1", status: "failed", failure_reason: "lost_or_stolen_card" }, "failed"],
    ["refused", 400, error("invalid_request_error", { code: "charge_already_refunded" }), "failed"],
    ["the key with other parameters", 400, error("idempotency_error"), "unknown"],
    ["a fault of Stripe", 500, error("api_error"), "unknown"],
  ])("%s", (...[, status, body, expected]) => expect(toRefundAnswer({ status, body }).status).toBe(expected));
});

it("amounts are minor units, but for the currencies that Stripe counts in hundredths", () => {
  expect(["GBP", "JPY", "ISK", "UGX"].map((currency) => toStripeAmount(1500, currency))).toEqual([
    "1500",
    "1500",
    "150000",
    "150000",
  ]);
});

it("amounts of three decimals are multiples of ten, as Stripe requires, and never more than is owed", () => {
  for (const currency of ["BHD", "JOD", "KWD", "OMR", "TND"])
    expect([1234, 5120].map((amount) => toStripeAmount(amount, currency))).toEqual(["1230", "5120"]);
});

it("a token is a customer and a payment method", () => {
  expect(readStripeToken("cus_1/pm_2")).toEqual({ customer: "cus_1", method: "pm_2" });
  for (const wrong of ["pm_2", "cus_1", "cus_1/", "/pm_2", "cus_1/pm_2/x", "cus_1/tok_2", ""])
    expect([wrong, readStripeToken(wrong)]).toEqual([wrong, null]);
});
