import { describe, expect, it } from "vitest";

import { itemsOf, taxesOfItems } from "../../../server/engines/catering/rules/invoice-lines.ts";
import { line, order } from "./make.ts";

describe("the items of an invoice", () => {
  it("have unit price, discount and amount without VAT, and VAT by rate", () => {
    const items = itemsOf(
      order({
        lines: [
          line({ id: "food", unit_price: 1200, tax_rate_bps: 2000 }),
          line({ id: "fruit", title: "Fruit", unit_price: 100 }),
          line({ id: "off", type: "discount", rate_bps: 1000 }),
          line({ id: "van", title: "Delivery", type: "delivery", unit_price: 600, tax_rate_bps: 2000 }),
        ],
      }),
    );
    expect(items.map((item) => Object.values(item).slice(1))).toEqual([
      [30, 1000, 3000, 2000, 27_000, 5400, 32_400],
      [30, 100, 300, 0, 2700, 0, 2700],
      [1, 500, 0, 2000, 500, 100, 600],
    ]);
    expect(taxesOfItems(items)).toEqual([
      { tax_rate_bps: 0, net: 2700, tax: 0 },
      { tax_rate_bps: 2000, net: 27_500, tax: 5500 },
    ]);
  });
});
