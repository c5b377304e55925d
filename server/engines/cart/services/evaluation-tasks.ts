import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { setsOf } from "../rules/choose-offers.ts";
import { evaluate } from "../rules/evaluate.ts";
import type { Question } from "../rules/evaluate.ts";

/** Prices a cart: five hundred lines under five hundred offers take a second, which no other request may wait for. */
export const evaluateCart = defineWorkerTask({
  id: "cart.evaluation",
  // About 4 µs for each line and offer, or each line and set of offers that is tried; and as much as 20 lines for an offer itself, and as
  // a line for a hundred units, which an offer by what was spent counts one by one. A bundle may match as often as there are lines, and
  // looks through all of them each time.
  size: ({ bundles, lines, offers }: Question) => {
    const units = lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const tried = bundles.length + Math.max(offers.length, setsOf(offers.length, lines.length));
    return (lines.length + 20 + units / 100) * tried + (bundles.length * lines.length ** 2) / 10;
  },
  run: evaluate,
});
