import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { setsOf } from "../rules/choose-offers.ts";
import { evaluate } from "../rules/evaluate.ts";
import type { Question } from "../rules/evaluate.ts";

/** Prices a cart: five hundred lines under five hundred offers take a second, which no other request may wait for. */
export const evaluateCart = defineWorkerTask({
  id: "cart.evaluation",
  // About 4 µs for each line and offer, or each line and set of offers that is tried; and as much as 20 lines for an offer itself.
  size: ({ bundles, lines, offers }: Question) =>
    (lines.length + 20) * (bundles.length + Math.max(offers.length, setsOf(offers.length, lines.length))),
  run: evaluate,
});
