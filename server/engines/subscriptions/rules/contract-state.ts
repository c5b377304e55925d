import { defineTransitions } from "../../../core/states.ts";
import type { ContractStatus } from "../schema.ts";

/** States of a contract that has not ended. */
const LIVE: readonly ContractStatus[] = ["pending", "trialing", "active", "past_due", "unpaid", "paused"];

export const contractStates = defineTransitions("Contract", {
  collection: "subscriptions.contracts",
  steps: {
    change: [LIVE, null],
    change_lines: [["active", "past_due", "trialing"], null],
    bill: [["active", "past_due"], null],
    end_trial: [["trialing"], ["active", "paused"]],
    payment_fails: [["active"], "past_due"],
    payment_given_up: [
      ["pending", "trialing", "active", "past_due"],
      ["unpaid", "paused"],
    ],
    paid: [["pending", "past_due", "unpaid"], "active"],
    pause: [["trialing", "active", "past_due"], "paused"],
    resume: [["paused"], ["trialing", "active", "past_due"]],
    cancel: [LIVE, "cancelled"],
    expire: [LIVE, "expired"],
  },
});
