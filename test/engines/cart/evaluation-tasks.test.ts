import { afterAll, expect, it } from "vitest";

import type { Question } from "../../../server/engines/cart/rules/evaluate.ts";
import { evaluateCart } from "../../../server/engines/cart/services/evaluation-tasks.ts";
import { closeWorkers, onWorkerTaskEnd } from "../../../server/lib/worker-tasks.ts";
import { many } from "../../support/longest-turn.ts";
import { bogoOf, bundleOf, everything, lineOf, questionOf } from "./make.ts";

afterAll(closeWorkers);

const offers = many(45, (n) =>
  bogoOf(`offer-${n}`, {
    buy: { spend: 40_000 + n, filter: everything },
    get: { qty: 1, filter: everything },
  }),
);
const cartOf = (quantity: number) => questionOf([lineOf("bread", 300, { quantity })], { offers });

/** Prices a cart; returns how often another thread did, and the result. */
async function pricedBy(cart: Question) {
  const ended: string[] = [];
  const stop = onWorkerTaskEnd(({ task }) => ended.push(task));
  const evaluation = await evaluateCart("sto_1", cart);
  stop();
  return { ...evaluation, threads: ended.filter((id) => id === "cart.evaluation").length };
}

it.each([
  [10, 0],
  [10_000, 1],
])("a cart of one line and %d units is priced by another thread %d times", async (quantity, times) => {
  const { priced, threads } = await pricedBy(cartOf(quantity));
  expect([priced.lines.length, threads]).toEqual([1, times]);
});

// 500 lines of 95 units took 160 ms in one turn.
it.each([
  [10, 0],
  [500, 1],
])(
  "a cart of %d lines that one bundle matches again and again is priced by another thread %d times",
  async (count, times) => {
    const pair = bundleOf("pair", {
      components: [{ ref: "bread", qty: 2 }],
      pricing: { kind: "percent_off", value: 1_000 },
    });
    const lines = many(count, (n) => lineOf(`line-${n}`, 300 + n, { ref: "bread", quantity: 95 }));
    const { bundles, threads } = await pricedBy(questionOf(lines, { bundles: [pair] }));
    expect([bundles.length, threads]).toEqual([(count * 3) / 2, times]);
  },
);
