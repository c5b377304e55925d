import { Big } from "big.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import * as auNz from "../../../../server/engines/allergens/data/nutrition/au-nz-panel.ts";
import * as ca from "../../../../server/engines/allergens/data/nutrition/ca-panel.ts";
import * as eu from "../../../../server/engines/allergens/data/nutrition/eu-panel.ts";
import * as us from "../../../../server/engines/allergens/data/nutrition/us-panel.ts";
import { roundBy, toNearest } from "../../../../server/engines/allergens/rules/nutrition/rounding.ts";
import type { RoundingTable } from "../../../../server/engines/allergens/rules/nutrition/rounding.ts";
import { seeded } from "../../../seeded.ts";
import { decimals } from "./facts.ts";

const text = (table: RoundingTable, amount: string | number): string => roundBy(table, new Big(amount)).text;
const number = (table: RoundingTable, amount: string | number): number =>
  roundBy(table, new Big(amount)).value.toNumber();

/** Each threshold just below, at, above. */
const BOUNDARIES: readonly (readonly [string, RoundingTable, readonly (readonly [string, string])[]])[] = [
  [
    "eu energy",
    eu.EU_ENERGY_ROUNDING,
    [
      ["1395.49", "1395"],
      ["1395.5", "1396"],
      ["0.4", "0"],
    ],
  ],
  [
    "eu fat and its like",
    eu.EU_GRAMS,
    [
      ["0", "0"],
      ["0.01", "<0.5"],
      ["0.49", "<0.5"],
      ["0.5", "<0.5"],
      ["0.51", "0.5"],
      ["0.55", "0.6"],
      ["1.04", "1.0"],
      ["1.05", "1.1"],
      ["9.94", "9.9"],
      ["9.95", "10"],
      ["9.99", "10"],
      ["10", "10"],
      ["10.49", "10"],
      ["10.5", "11"],
      ["12.4", "12"],
    ],
  ],
  [
    "eu saturates, mono, poly",
    eu.EU_FATTY_ACIDS,
    [
      ["0.09", "<0.1"],
      ["0.1", "<0.1"],
      ["0.11", "0.1"],
      ["0.15", "0.2"],
      ["9.94", "9.9"],
      ["9.95", "10"],
      ["10", "10"],
    ],
  ],
  [
    "eu salt",
    eu.EU_SALT,
    [
      ["0.0124", "<0.01"],
      ["0.0125", "<0.01"],
      ["0.0126", "0.01"],
      ["0.295", "0.30"],
      ["0.994", "0.99"],
      ["0.995", "1.0"],
      ["1", "1.0"],
      ["1.04", "1.0"],
      ["1.05", "1.1"],
      ["1.45", "1.5"],
    ],
  ],
  [
    "us calories",
    us.US_CALORIES,
    [
      ["2.4", "0"],
      ["4.99", "0"],
      ["5", "5"],
      ["7.49", "5"],
      ["7.5", "10"],
      ["47", "45"],
      ["47.5", "50"],
      ["50", "50"],
      ["50.1", "50"],
      ["52", "50"],
      ["54.9", "50"],
      ["55", "60"],
      ["236", "240"],
    ],
  ],
  [
    "us fats",
    us.US_FATS,
    [
      ["0.49", "0"],
      ["0.5", "0.5"],
      ["0.74", "0.5"],
      ["0.75", "1"],
      ["4.74", "4.5"],
      ["4.75", "5"],
      ["4.99", "5"],
      ["5", "5"],
      ["5.49", "5"],
      ["5.5", "6"],
    ],
  ],
  [
    "us cholesterol",
    us.US_CHOLESTEROL,
    [
      ["1.99", "0"],
      ["2", "less than 5"],
      ["5", "less than 5"],
      ["5.01", "5"],
      ["7.49", "5"],
      ["7.5", "10"],
    ],
  ],
  [
    "us sodium",
    us.US_SODIUM,
    [
      ["3", "0"],
      ["4.99", "0"],
      ["5", "5"],
      ["137", "135"],
      ["137.5", "140"],
      ["140", "140"],
      ["140.1", "140"],
      ["145", "150"],
      ["163", "160"],
      ["165", "170"],
    ],
  ],
  [
    "us carbohydrate, fibre, sugars, protein",
    us.US_GRAMS,
    [
      ["0.49", "0"],
      ["0.5", "less than 1"],
      ["0.99", "less than 1"],
      ["1", "1"],
      ["1.49", "1"],
      ["1.5", "2"],
    ],
  ],
  [
    "us %DV of vitamins and minerals",
    us.US_MICRO_PERCENT,
    [
      ["0.99", "0"],
      ["1", "2"],
      ["2", "2"],
      ["5", "6"],
      ["10", "10"],
      ["10.1", "10"],
      ["12.4", "10"],
      ["12.5", "15"],
      ["50", "50"],
      ["50.1", "50"],
      ["55", "60"],
    ],
  ],
  [
    "ca calories",
    ca.CA_CALORIES,
    [
      ["4.4", "4"],
      ["4.9", "5"],
      ["5", "5"],
      ["7.5", "10"],
      ["50", "50"],
      ["50.1", "50"],
      ["55", "60"],
    ],
  ],
  [
    "ca fat",
    ca.CA_FATS,
    [
      ["0.44", "0.4"],
      ["0.49", "0.5"],
      ["0.5", "0.5"],
      ["0.75", "1"],
      ["5", "5"],
      ["5.01", "5"],
      ["5.5", "6"],
    ],
  ],
  [
    "ca cholesterol",
    ca.CA_CHOLESTEROL,
    [
      ["2.49", "0"],
      ["2.5", "5"],
      ["7.5", "10"],
    ],
  ],
  [
    "ca sodium",
    ca.CA_SODIUM,
    [
      ["4.4", "4"],
      ["4.9", "5"],
      ["5", "5"],
      ["140", "140"],
      ["140.1", "140"],
      ["145", "150"],
    ],
  ],
  [
    "ca carbohydrate, fibre, sugars",
    ca.CA_GRAMS,
    [
      ["0.49", "0"],
      ["0.5", "1"],
      ["1.49", "1"],
      ["1.5", "2"],
    ],
  ],
  [
    "ca protein",
    ca.CA_PROTEIN,
    [
      ["0.44", "0.4"],
      ["0.49", "0.5"],
      ["0.5", "1"],
      ["1.5", "2"],
    ],
  ],
  [
    "ca potassium, calcium",
    ca.CA_POTASSIUM,
    [
      ["4.99", "0"],
      ["5", "10"],
      ["14.9", "10"],
      ["49.9", "50"],
      ["50", "50"],
      ["62.4", "50"],
      ["62.5", "75"],
      ["249.9", "250"],
      ["250", "250"],
      ["274.9", "250"],
      ["275", "300"],
    ],
  ],
  [
    "ca iron",
    ca.CA_IRON,
    [
      ["0.049", "0"],
      ["0.05", "0.1"],
      ["0.49", "0.5"],
      ["0.5", "0.5"],
      ["0.624", "0.5"],
      ["0.625", "0.75"],
      ["2.49", "2.5"],
      ["2.5", "2.5"],
      ["2.74", "2.5"],
      ["2.75", "3"],
    ],
  ],
  [
    "au_nz energy",
    auNz.AU_NZ_ENERGY_KJ,
    [
      ["39.9", "LESS THAN 40"],
      ["40", "40"],
      ["1234", "1230"],
      ["1235", "1240"],
    ],
  ],
  [
    "au_nz grams",
    auNz.AU_NZ_GRAMS,
    [
      ["0.99", "LESS THAN 1"],
      ["1", "1"],
      ["12.34", "12.3"],
      ["12.35", "12.4"],
    ],
  ],
  [
    "au_nz sodium",
    auNz.AU_NZ_SODIUM,
    [
      ["4.9", "LESS THAN 5"],
      ["5", "5"],
      ["1234.5", "1230"],
    ],
  ],
];

describe("roundBy", () => {
  it.each(BOUNDARIES)("%s at and around each threshold", (_, table, pairs) => {
    expect(pairs.map(([amount]) => [amount, text(table, amount)])).toEqual(pairs);
  });

  it("does what binary floats do not: 0.118 × 2.5 to 0.30, 1.45 to 1.5", () => {
    expect((0.118 * 2.5).toFixed(2)).toBe("0.29");
    expect(text(eu.EU_SALT, new Big(0.118).times(2.5).toFixed())).toBe("0.30");
    expect((1.45).toFixed(1)).toBe("1.4");
    expect(text(eu.EU_SALT, "1.45")).toBe("1.5");
  });

  it("prints what is too small to count as it is asked to", () => {
    const amount = new Big("0.3");
    expect(
      ["less_than", "zero", "trace"].map((wish) => roundBy(eu.EU_GRAMS, amount, toWish(wish)).text),
    ).toEqual(["<0.5", "0", "trace"]);
    expect(roundBy(auNz.AU_NZ_GRAMS, amount, "zero").text).toBe("0.3");
    expect(roundBy(us.US_GRAMS, new Big("0.7"), "zero").text).toBe("1");
    expect(roundBy(us.US_CHOLESTEROL, new Big(3), "zero").text).toBe("5");
  });

  it("AA15 tells both lawful texts of 3 kcal, and one of 2", () => {
    expect(roundBy(us.US_CALORIES, new Big(3))).toMatchObject({ text: "0", alternatives: ["5"] });
    expect(roundBy(us.US_CALORIES, new Big(2)).alternatives).toEqual([]);
  });

  it("tells what a food free of a nutrient may print in Canada", () => {
    expect(roundBy(ca.CA_CALORIES, new Big(4)).alternatives).toEqual(["0"]);
    expect(roundBy(ca.CA_FATS, new Big("0.4")).alternatives).toEqual(["0"]);
  });

  it.each(BOUNDARIES)("%s never falls when the amount rises", (_, table) => {
    fc.assert(
      fc.property(decimals(600, 4), decimals(600, 4), (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(number(table, low)).toBeLessThanOrEqual(number(table, high));
      }),
      seeded(),
    );
  });

  it.each(BOUNDARIES.filter(([name]) => name !== "ca protein"))(
    "%s rounds a rounded number to itself",
    (_, table) => {
      fc.assert(
        fc.property(decimals(600, 4), (amount) => {
          const once = number(table, amount);
          expect(number(table, once)).toBe(once);
        }),
        seeded(),
      );
    },
  );

  it("rounds protein twice to another number in Canada, as its table is written", () => {
    expect([number(ca.CA_PROTEIN, "0.46"), number(ca.CA_PROTEIN, "0.5")]).toEqual([0.5, 1]);
  });
});

describe("toNearest", () => {
  it("sends ties away from zero and never moves a number by more than half a step", () => {
    expect(["2.5", "7.5", "12.5"].map((amount) => toNearest(new Big(amount), "5").toNumber())).toEqual([
      5, 10, 15,
    ]);
    fc.assert(
      fc.property(
        decimals(500, 4),
        fc.constantFrom("0.01", "0.1", "0.25", "0.5", "1", "5", "10"),
        (amount, step) => {
          const moved = toNearest(new Big(amount), step).minus(amount).abs();
          expect(moved.lte(new Big(step).div(2))).toBe(true);
        },
      ),
      seeded(),
    );
  });
});

const toWish = (wish: string): "less_than" | "zero" | "trace" =>
  wish === "zero" || wish === "trace" ? wish : "less_than";
