import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, line, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const draft = (more: object = {}) => ({
  customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
  lines: [line(1_000)],
  interval: { unit: "month", count: 1 },
  collection: "send_invoice",
  ...more,
});

describe("days that no date can name", () => {
  it("422 a start beyond the last day, whatever follows it", async () => {
    for (const start_date of ["3000-01-01", "9999-12-31"]) {
      const far = draft({ start_date, trial_days: 730 });
      expect(pointersOf(await shop.post("/contracts", far))).toEqual(["#/start_date"]);
      expect(pointersOf(await shop.post("/previews", { contract: far }))).toEqual(["#/contract/start_date"]);
    }
    const asked = { contract: draft(), as_of: "9999-12-31T23:59:59.000Z" };
    expect(pointersOf(await shop.post("/previews", asked))).toEqual(["#/as_of"]);
  });

  it("200 cycles of four hundred years end where the years do", async () => {
    const ages = draft({ interval: { unit: "year", count: 400 } });
    const { id } = await shop.make("/contracts", ages);
    const cycles = await shop.read(`/contracts/${id}/cycles?limit=60`);
    expect(cycles.at(-1).end).toBe("9626-02-01");
    expect(await shop.read(`/contracts/${id}/cycles?from_index=9999`)).toEqual([]);
    const preview = await shop.make("/previews", { contract: ages, cycles: 24 });
    expect(preview.cycles).toHaveLength(19);
    expect((await shop.post(`/contracts/${id}/cycles/40/skip`, {})).status).toBe(422);
    for (let cycle = 0; cycle < 18; cycle += 1)
      expect((await shop.post(`/contracts/${id}/bill-now`, { cycle_index: cycle })).status).toBe(200);
    expect((await shop.post(`/contracts/${id}/bill-now`, { cycle_index: 18 })).json.error.code).toBe(
      "no_cycle_left",
    );
  });
});

describe("drafts that contradict themselves", () => {
  it("422 two lines of one id, which would be discounted as one", async () => {
    const lines = [
      { ...line(1_000), id: "lin_a" },
      { ...line(500), id: "lin_a" },
    ];
    expect(pointersOf(await shop.post("/contracts", draft({ lines })))).toEqual(["#/lines/1/id"]);
  });

  it("422 more cycles to be kept than there are", async () => {
    const answer = await shop.post("/contracts", draft({ min_cycles: 5, max_cycles: 1 }));
    expect(pointersOf(answer)).toEqual(["#/min_cycles"]);
  });
});
