import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { callsOf, createShop, makeContract } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: "2026-01-31T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

describe("a year of a contract", () => {
  it("is billed on the last day of shorter months, once a cycle, by the clock of the store", async () => {
    const { id, gateway, contract } = await makeContract(shop, "tok_ok", { shipping_price: 300 });
    expect(contract.status).toBe("pending");
    const preview = await shop.make("/previews", { contract_id: id, cycles: 12 });
    await shop.advance("2027-01-31T08:00:00.000Z");
    const charges = await shop.read(`/charges?contract_id=${id}&limit=100`);
    expect(charges.length).toBe(12);
    charges.reverse();
    expect(charges.map((charge: { period: { start: string } }) => charge.period.start)).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2026-05-31",
      "2026-06-30",
      "2026-07-31",
      "2026-08-31",
      "2026-09-30",
      "2026-10-31",
      "2026-11-30",
      "2026-12-31",
    ]);
    for (const [at, charge] of charges.entries()) {
      expect(charge).toMatchObject({ status: "succeeded", total: 1300, cycle_index: at });
      const foretold = preview.cycles[at];
      expect([foretold.start, foretold.end, foretold.total]).toEqual([
        charge.period.start,
        charge.period.end,
        charge.total,
      ]);
      if (at > 0) expect(foretold.billing_at).toBe(charge.due_at);
    }
    expect((await callsOf(shop, gateway)).filter((call) => call === "charge charged")).toHaveLength(12);
    expect(await shop.read(`/contracts/${id}`)).toMatchObject({
      status: "active",
      current_cycle: 11,
      next_billing_date: "2027-01-31",
    });
  });
});
