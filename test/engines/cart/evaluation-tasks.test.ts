import { afterAll, expect, it, vi } from "vitest";

import { evaluate } from "../../../server/engines/cart/rules/evaluate.ts";
import { evaluateCart } from "../../../server/engines/cart/services/evaluation-tasks.ts";
import { closeWorkers } from "../../../server/lib/worker-tasks.ts";
import { many } from "../../support/longest-turn.ts";
import { bogoOf, everything, lineOf, questionOf } from "./make.ts";

// A thread has an `evaluate` of its own.
vi.mock("../../../server/engines/cart/rules/evaluate.ts", { spy: true });
afterAll(closeWorkers);

const offers = many(45, (n) =>
  bogoOf(`offer-${n}`, {
    buy: { spend: 40_000 + n, filter: everything },
    get: { qty: 1, filter: everything },
  }),
);
const cartOf = (quantity: number) => questionOf([lineOf("bread", 300, { quantity })], { offers });

it.each([
  [10, 1],
  [10_000, 0],
])("a cart of one line and %d units is priced by this thread %d times", async (quantity, times) => {
  vi.mocked(evaluate).mockClear();
  const { priced } = await evaluateCart("sto_1", cartOf(quantity));
  expect(priced.lines).toHaveLength(1);
  expect(evaluate).toHaveBeenCalledTimes(times);
});
