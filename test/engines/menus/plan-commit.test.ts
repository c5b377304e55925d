import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { planCommit } from "../../../server/engines/menus/rules/plan-commit.ts";
import type { Stock } from "../../../server/engines/menus/schema/stock.ts";
import { stockOf } from "./fixture.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const counted = (id: string, quantity: number): Stock =>
  stockOf({ id, quantity, status: quantity === 0 ? "out_of_stock" : "quantity" });
const need = (id: string, quantity: number) => ({ id, target: "item" as const, quantity });
const plan = (needs: readonly ReturnType<typeof need>[], stock: readonly Stock[]) =>
  planCommit(needs, (id) => stock.find((each) => each.id === id), { channel: null, nowMs: NOW });

describe("planCommit", () => {
  it("takes all that is asked for; the last one makes it out of stock", () => {
    expect(plan([need("a", 2), need("b", 1), need("c", 9)], [counted("a", 2), counted("b", 5)])).toEqual({
      ok: true,
      taken: [
        { ...need("a", 2), left: 0 },
        { ...need("b", 1), left: 4 },
        { ...need("c", 9), left: null },
      ],
      next: [counted("a", 0), counted("b", 4)],
    });
  });

  it("takes nothing when one thing is short, and names all that are", () => {
    const suspended = stockOf({
      id: "d",
      suspensions: [{ channel: null, until: null, reason: null, since: "2026-06-01T09:00:00.000Z" }],
    });
    expect(
      plan([need("a", 1), need("b", 3), need("d", 1)], [counted("a", 5), counted("b", 2), suspended]),
    ).toEqual({
      ok: false,
      shortages: [
        { id: "b", left: 2, asked: 3 },
        { id: "d", left: 0, asked: 1 },
      ],
    });
  });

  it("never goes below nothing, and loses nothing", () => {
    const needs = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom("a", "b", "c"),
        target: fc.constant("item" as const),
        quantity: fc.integer({ min: 1, max: 5 }),
      }),
      { selector: ({ id }) => id },
    );
    fc.assert(
      fc.property(fc.array(needs), fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 9 })), (orders, [a, b]) => {
        let stock = [counted("a", a), counted("b", b)];
        const sold = { a: 0, b: 0, c: 0 };
        for (const order of orders) {
          const made = plan(order, stock);
          if (!made.ok) continue;
          stock = stock.map((each) => made.next.find(({ id }) => id === each.id) ?? each);
          for (const { id, quantity } of order) sold[id] += quantity;
        }
        for (const { quantity } of stock) expect(quantity).toBeGreaterThanOrEqual(0);
        expect(stock.map(({ quantity }) => quantity)).toEqual([a - sold.a, b - sold.b]);
      }),
    );
  });
});
