import { describe, expect, it } from "vitest";

import {
  isLow,
  leftOf,
  liveSuspensions,
  stockBlock,
  withCount,
  withoutSuspension,
  withReturn,
  withSale,
  withSuspension,
} from "../../../server/engines/menus/rules/stock.ts";
import type { Suspension } from "../../../server/engines/menus/schema/stock.ts";
import { stockOf } from "./fixture.ts";

const NOW = Date.parse("2026-06-01T12:00:00.000Z");
const suspension = (rest: Partial<Suspension> = {}): Suspension => ({
  channel: null,
  until: null,
  reason: null,
  since: "2026-06-01T09:00:00.000Z",
  ...rest,
});
const soon = "2026-06-01T13:00:00.000Z";
const later = "2026-06-01T18:00:00.000Z";

describe("stockBlock", () => {
  it("is nothing for what nobody said anything of", () => {
    expect(stockBlock(undefined, "pickup", NOW)).toBeNull();
    expect(stockBlock(stockOf(), "pickup", NOW)).toBeNull();
  });

  it("lasts as long as the longest suspension of the channel or of all", () => {
    const stock = stockOf({
      suspensions: [suspension({ until: soon }), suspension({ channel: "pickup", until: later })],
    });
    expect(stockBlock(stock, "pickup", NOW)?.untilMs).toBe(Date.parse(later));
    expect(stockBlock(stock, "delivery", NOW)?.untilMs).toBe(Date.parse(soon));
    expect(stockBlock(stock, null, NOW)?.untilMs).toBe(Date.parse(soon));
    expect(stockBlock(stock, "delivery", Date.parse(soon))).toBeNull();
    expect(stockBlock(stockOf({ suspensions: [suspension()] }), null, NOW)?.untilMs).toBe(Infinity);
  });

  it("out of stock comes before a suspension", () => {
    const stock = stockOf({ status: "out_of_stock", suspensions: [suspension({ until: soon })] });
    expect(stockBlock(stock, null, NOW)).toEqual({ reason: "out_of_stock", untilMs: Infinity });
  });
});

describe("suspensions", () => {
  it("a channel has one, the last; what has ended goes", () => {
    const ended = suspension({ channel: "kiosk", until: "2026-06-01T11:00:00.000Z" });
    const first = suspension({ channel: "pickup", until: soon });
    const second = suspension({ channel: "pickup", until: later });
    const stock = withSuspension(stockOf({ suspensions: [ended, first] }), second, NOW);
    expect(stock.suspensions).toEqual([second]);
    expect(liveSuspensions({ suspensions: [ended, first] }, NOW)).toEqual([first]);
  });

  it("are lifted one by one or together", () => {
    const stock = stockOf({ suspensions: [suspension(), suspension({ channel: "pickup" })] });
    expect(withoutSuspension(stock, "pickup", NOW).suspensions).toEqual([suspension()]);
    expect(withoutSuspension(stock, null, NOW).suspensions).toEqual([]);
  });
});

describe("counts", () => {
  it.each([
    [{ quantity: 3 }, "quantity", 3],
    [{ quantity: 0 }, "out_of_stock", 0],
    [{ quantity: null }, "in_stock", null],
    [{ status: "in_stock" }, "in_stock", null],
    [{ status: "out_of_stock" }, "out_of_stock", null],
    [{}, "quantity", 7],
  ] as const)("%j", (change, status, quantity) => {
    const stock = withCount(stockOf({ status: "quantity", quantity: 7 }), change);
    expect([stock.status, stock.quantity]).toEqual([status, quantity]);
  });

  it("are taken and given back; what is not counted stays as it is", () => {
    const two = stockOf({ status: "quantity", quantity: 2 });
    const none = withSale(two, 2);
    expect([none.status, none.quantity]).toEqual(["out_of_stock", 0]);
    expect(withReturn(none, 2)).toEqual(two);
    expect(withSale(stockOf(), 5)).toEqual(stockOf());
    expect(withReturn(stockOf({ status: "out_of_stock" }), 5).status).toBe("out_of_stock");
  });

  it("tell what is left, and when it is low", () => {
    expect(leftOf(undefined, null, NOW)).toBe(Infinity);
    expect(leftOf(stockOf({ status: "quantity", quantity: 4 }), null, NOW)).toBe(4);
    expect(leftOf(stockOf({ quantity: 4, suspensions: [suspension()] }), null, NOW)).toBe(0);
    expect(isLow({ quantity: 5, low_threshold: null }, 5)).toBe(true);
    expect(isLow({ quantity: 6, low_threshold: null }, 5)).toBe(false);
    expect(isLow({ quantity: 6, low_threshold: 6 }, 5)).toBe(true);
    expect(isLow({ quantity: null, low_threshold: 6 }, 5)).toBe(false);
  });
});
