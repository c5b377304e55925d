import { expect, it } from "vitest";

import { percent, round2, toCheck } from "../../../server/engines/content/rules/check.ts";

const finding = { id: "l3", name: "Links", value: 1, threshold: "none", fix: "Mend them." } as const;

it("names what to do only where there is something to do", () => {
  expect(toCheck({ ...finding, status: "bad" })).toMatchObject({ weight: 3, fix: "Mend them." });
  expect(toCheck({ ...finding, status: "good" }).fix).toBeNull();
  expect(toCheck({ ...finding, status: "na" }).fix).toBeNull();
});

it("rounds for showing", () => {
  expect([percent(1, 3), percent(0, 0), round2(1.005), round2(2.344)]).toEqual([33.3, 0, 1, 2.34]);
});
