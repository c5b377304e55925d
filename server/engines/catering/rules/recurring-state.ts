import { defineTransitions } from "../../../core/states.ts";

export const recurringStates = defineTransitions("Recurring order", {
  collection: "catering.recurring_orders",
  steps: {
    pause: [["active"], "paused"],
    resume: [["paused"], "active"],
    end: [["active", "paused"], "ended"],
  },
});
