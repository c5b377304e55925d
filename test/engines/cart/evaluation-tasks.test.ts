import { afterAll, expect, it } from "vitest";

import { evaluateCart } from "../../../server/engines/cart/services/evaluation-tasks.ts";
import { closeWorkers, onWorkerTaskEnd } from "../../../server/lib/worker-tasks.ts";
import { many } from "../../support/longest-turn.ts";
import { bogoOf, everything, lineOf, questionOf } from "./make.ts";

afterAll(closeWorkers);

const offers = many(45, (n) =>
  bogoOf(`offer-${n}`, {
    buy: { spend: 40_000 + n, filter: everything },
    get: { qty: 1, filter: everything },
  }),
);
const cartOf = (quantity: number) => questionOf([lineOf("bread", 300, { quantity })], { offers });

it.each([
  [10, 0],
  [10_000, 1],
])("a cart of one line and %d units is priced by another thread %d times", async (quantity, times) => {
  const ended: string[] = [];
  const stop = onWorkerTaskEnd(({ task }) => ended.push(task));
  const { priced } = await evaluateCart("sto_1", cartOf(quantity));
  stop();
  expect(priced.lines).toHaveLength(1);
  expect(ended.filter((id) => id === "cart.evaluation")).toHaveLength(times);
});
