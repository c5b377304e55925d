import type { TestPayment } from "../schema/payment.ts";
import type { Failure } from "../schema/parts.ts";

/** What the test gateway does with a key that it sees for the first time. */
export interface TestOutcome {
  readonly state: TestPayment["state"];
  readonly failure: Failure | null;
  /** The request is carried out, or lost, without an answer. */
  readonly silent: boolean;
  /** Callbacks that it sends afterwards, with the same event id each. */
  readonly callbacks: number;
}

const plain = (state: TestPayment["state"], failure: Failure | null = null): TestOutcome => ({
  state,
  failure,
  silent: false,
  callbacks: 0,
});

const decline = (category: Failure["category"], code: string, message: string): TestOutcome =>
  plain("failed", { category, code, message });

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  tok_ok: plain("succeeded"),
  tok_insufficient: decline("soft", "insufficient_funds", "The account holds too little."),
  tok_lost_card: decline("hard", "lost_card", "The card was reported lost."),
  tok_expired: decline("method", "expired_card", "The card has expired."),
  tok_out_of_stock: decline("inventory", "out_of_stock", "A product is out of stock."),
  tok_down: decline("system", "gateway_down", "The gateway has a fault."),
  tok_action: plain("requires_action"),
  tok_pending: plain("pending"),
  tok_timeout_charged: { ...plain("succeeded"), silent: true },
  tok_timeout_not_charged: { ...plain("lost"), silent: true },
  tok_duplicate_callback: { ...plain("pending"), callbacks: 2 },
};

/** Tokens that the test gateway knows, for the documentation. */
export const TEST_TOKENS: readonly string[] = [...Object.keys(OUTCOMES), "tok_fail_n_then_ok:<n>"];

/** The outcome of a token for the n-th attempt of a charge: the same each time. An unknown token is declined. */
export function testOutcome(token: string, attempt: number): TestOutcome {
  const failures = /^tok_fail_n_then_ok:(\d{1,2})$/.exec(token)?.[1];
  if (failures !== undefined)
    return testOutcome(attempt <= Number(failures) ? "tok_insufficient" : "tok_ok", attempt);
  const known = Object.hasOwn(OUTCOMES, token) ? OUTCOMES[token] : undefined;
  return known ?? decline("hard", "invalid_token", "The test gateway knows no such token.");
}
