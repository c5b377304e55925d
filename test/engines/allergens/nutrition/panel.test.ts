import { Big } from "big.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ModeId } from "../../../../server/engines/allergens/data/modes.ts";
import type { NutritionFacts, ShownRow } from "../../../../server/engines/allergens/schema/nutrition.ts";
import { buildPanel, PANELS } from "../../../../server/engines/allergens/rules/nutrition/panel.ts";
import type {
  PanelQuestion,
  ShownPanel,
} from "../../../../server/engines/allergens/rules/nutrition/panel.ts";
import { seeded } from "../../../seeded.ts";
import { decimals, facts } from "./facts.ts";

function panel(given: Partial<NutritionFacts>, question: Partial<PanelQuestion> = {}): ShownPanel {
  const shown = buildPanel(facts(given), {
    mode: "eu",
    per: "100",
    negligible: "less_than",
    population: "adults",
    ...question,
  });
  if ("fault" in shown) throw new Error(shown.fault);
  return shown;
}
const rowOf = (
  given: Partial<NutritionFacts>,
  key: string,
  question: Partial<PanelQuestion> = {},
): ShownRow => {
  const row = panel(given, question).rows.find((candidate) => candidate.key === key);
  if (row === undefined) throw new Error(`The panel has no row ${key}.`);
  return row;
};
const shows = (given: Partial<NutritionFacts>, key: string, mode: ModeId = "eu"): string =>
  rowOf(given, key, { mode }).display;

describe("vectors of the panels", () => {
  it("AA13 eu: 118 mg of sodium are 0.30 g of salt", () => {
    expect(shows({ sodium_mg: 118 }, "salt")).toBe("0.30 g");
  });

  it.each([
    [12.4, "12 g"],
    [9.94, "9.9 g"],
    [0.51, "0.5 g"],
    [0.5, "<0.5 g"],
  ])("AA14 eu: fat %d g", (fat, display) => expect(shows({ fat }, "fat")).toBe(display));

  it("AA14 eu: saturates 0.1 g", () => expect(shows({ fat: 1, saturates: 0.1 }, "saturates")).toBe("<0.1 g"));

  it.each([
    [47, "45", []],
    [52, "50", []],
    [236, "240", []],
    [3, "0", ["5"]],
  ])("AA15 us: %d kcal", (kcal, display, alternatives) => {
    const row = rowOf({ energy_kcal: kcal }, "energy_kcal", { mode: "us" });
    expect([row.display, row.alternatives]).toEqual([display, alternatives]);
  });

  it.each([
    [3, "0mg"],
    [137, "135mg"],
    [140, "140mg"],
    [145, "150mg"],
    [163, "160mg"],
  ])("AA16 us: %d mg of sodium", (sodium, display) =>
    expect(shows({ sodium_mg: sodium }, "sodium", "us")).toBe(display),
  );

  it.each([
    ["vitamin_d", { amount: 2, unit: "ug" }, "2mcg", 10],
    ["calcium", { amount: 260, unit: "mg" }, "260mg", 20],
    ["iron", { amount: 8, unit: "mg" }, "8mg", 45],
    ["potassium", { amount: 235, unit: "mg" }, "235mg", 6],
  ] as const)("AA17 us: %s %j", (code, micro, display, percent) => {
    const row = rowOf({ micros: { [code]: micro } }, code, { mode: "us" });
    expect([row.display, row.percent]).toEqual([display, percent]);
  });

  it.each([
    ["fat", { fat: 9 }, 12],
    ["sodium", { sodium_mg: 160 }, 7],
    ["added_sugars", { carbohydrate: 12, sugars: 12, added_sugars: 12 }, 24],
  ])("AA18 us: %%DV of %s", (key, given, percent) =>
    expect(rowOf(given, key, { mode: "us" }).percent).toBe(percent),
  );
});

const whole: Partial<NutritionFacts> = {
  portion: { size: 50, unit: "g" },
  fat: 10.04,
  saturates: 4,
  monounsaturates: 4,
  polyunsaturates: 1,
  trans_fat: 0.3,
  carbohydrate: 50,
  sugars: 20,
  added_sugars: 15,
  polyols: 2,
  erythritol: 2,
  starch: 25,
  fibre: 5,
  protein: 8,
  salt: 1,
  cholesterol_mg: 12,
  micros: {
    calcium: { amount: 0.2, unit: "g" },
    iron: { amount: 14, unit: "mg" },
    vitamin_d: { amount: 2, unit: "ug" },
    potassium: { amount: 300, unit: "mg" },
  },
};

describe("rows", () => {
  it("eu: the order of Annex XV, with RI and NRV", () => {
    expect(panel(whole).rows.map(({ key, display, percent }) => [key, display, percent])).toEqual([
      ["energy_kj", "1363 kJ", 16],
      ["energy_kcal", "324 kcal", 16],
      ["fat", "10 g", 14],
      ["saturates", "4.0 g", 20],
      ["monounsaturates", "4.0 g", null],
      ["polyunsaturates", "1.0 g", null],
      ["carbohydrate", "50 g", 19],
      ["sugars", "20 g", 22],
      ["polyols", "2.0 g", null],
      ["starch", "25 g", null],
      ["fibre", "5.0 g", null],
      ["protein", "8.0 g", 16],
      ["salt", "1.0 g", 17],
      ["vitamin_d", "2 µg", 40],
      ["potassium", "300 mg", 15],
      ["calcium", "200 mg", 25],
      ["iron", "14 mg", 100],
    ]);
  });

  it("us: the order of 101.9(c), carbohydrate with its fibre", () => {
    const shown = panel(whole, { mode: "us", per: "portion" });
    expect(shown.basis).toBe("per portion of 50 g");
    expect(shown.rows.map(({ label, display, percent }) => [label, display, percent])).toEqual([
      ["Calories", "170", null],
      ["Total Fat", "5g", 6],
      ["Saturated Fat", "2g", 10],
      ["Trans Fat", "0g", null],
      ["Polyunsaturated Fat", "0.5g", null],
      ["Monounsaturated Fat", "2g", null],
      ["Cholesterol", "5mg", 2],
      ["Sodium", "200mg", 9],
      ["Total Carbohydrate", "28g", 10],
      ["Dietary Fiber", "3g", 9],
      ["Total Sugars", "10g", null],
      ["Added Sugars", "8g", 15],
      ["Sugar Alcohol", "1g", null],
      ["Protein", "4g", null],
      ["Vitamin D", "1mcg", 6],
      ["Calcium", "100mg", 8],
      ["Iron", "7mg", 40],
      ["Potassium", "150mg", 4],
    ]);
    expect(shown.missing).toEqual([]);
  });

  it("us: the daily values of children from 1 to 3", () => {
    const question = { mode: "us", population: "children_1_to_3" } as const;
    expect(rowOf({ fat: 9 }, "fat", question).percent).toBe(23);
    expect(
      rowOf({ micros: { vitamin_a: { amount: 90, unit: "ug" } } }, "vitamin_a", question).percent,
    ).toBeNull();
  });

  it("ca: the core table, saturated and trans as one percentage, minerals by their rounded amount", () => {
    const { polyols: _, erythritol: __, ...given } = whole;
    const shown = panel(given, { mode: "ca", per: "portion" });
    expect(shown.rows.map(({ label, display, percent }) => [label, display, percent])).toEqual([
      ["Calories", "170", null],
      ["Fat", "5 g", 7],
      ["Saturated", "2 g", 11],
      ["+ Trans", "0.2 g", null],
      ["Carbohydrate", "28 g", null],
      ["Fibre", "3 g", 9],
      ["Sugars", "10 g", 10],
      ["Protein", "4 g", null],
      ["Cholesterol", "5 mg", null],
      ["Sodium", "200 mg", 9],
      ["Potassium", "150 mg", 4],
      ["Calcium", "100 mg", 8],
      ["Iron", "7 mg", 39],
    ]);
    const mineral = { micros: { calcium: { amount: 62.4, unit: "mg" } } } as const;
    expect(rowOf(mineral, "calcium", { mode: "ca" })).toMatchObject({ display: "50 mg", percent: 4 });
  });

  it("au_nz: the order of S12—2, carbohydrate without polyols, % daily intake per serving alone", () => {
    const shown = panel(whole, { mode: "au_nz", per: "portion" });
    expect(shown.rows.map(({ label, display, percent }) => [label, display, percent]).slice(0, 13)).toEqual([
      ["Energy", "683 kJ", 8],
      ["Energy", "163 Cal", null],
      ["Protein", "4 g", 8],
      ["Fat, total", "5.02 g", 7],
      ["– saturated", "2 g", 8],
      ["– trans", "LESS THAN 1 g", null],
      ["– polyunsaturated", "LESS THAN 1 g", null],
      ["– monounsaturated", "2 g", null],
      ["Cholesterol", "6 mg", null],
      ["Carbohydrate", "24 g", 8],
      ["– sugars", "10 g", 11],
      ["Dietary fibre, total", "2.5 g", 8],
      ["Sodium", "200 mg", 9],
    ]);
    expect(panel(whole, { mode: "au_nz" }).rows.every(({ percent }) => percent === null)).toBe(true);
  });

  it.each([
    ["eu", ["salt"]],
    [
      "us",
      [
        "energy_kcal",
        "trans_fat",
        "cholesterol",
        "sodium",
        "carbohydrate",
        "fibre",
        "added_sugars",
        "vitamin_d",
        "calcium",
        "iron",
        "potassium",
      ],
    ],
    ["au_nz", ["sodium"]],
  ] as const)("%s: tells what it needs and does not know", (mode, missing) =>
    expect(panel({ fat: 1 }, { mode }).missing).toEqual(missing),
  );

  it("shows no percentage of an amount that is declared as zero", () => {
    expect(rowOf({ fat: 0.45 }, "fat", { mode: "us" })).toMatchObject({ display: "0g", percent: 0 });
    expect(
      rowOf({ micros: { calcium: { amount: 4.9, unit: "mg" } } }, "calcium", { mode: "ca" }),
    ).toMatchObject({
      display: "0 mg",
      percent: 0,
    });
  });

  it("prints limits in the words of the mode", () => {
    expect(shows({ carbohydrate: 0.7 }, "sugars", "us")).toBe("0g");
    expect(shows({ carbohydrate: 0.7, sugars: 0.7 }, "sugars", "us")).toBe("less than 1 g");
    expect(shows({ cholesterol_mg: 3 }, "cholesterol", "us")).toBe("less than 5 mg");
    expect(rowOf({ fat: 0.4 }, "fat", { negligible: "trace" }).display).toBe("trace");
    expect(rowOf({ fat: 0.4 }, "fat", { negligible: "zero" }).display).toBe("0 g");
    expect(rowOf({ fat: 0.4 }, "fat")).toMatchObject({ value: 0.5, is_below: true });
  });
});

describe("significant amounts of vitamins and minerals, FIC Annex XIII A 2", () => {
  const c = (amount: number) => ({ micros: { vitamin_c: { amount, unit: "mg" } } }) as const;
  it.each([
    ["below 15 % per 100 g", c(11.9), true],
    ["15 % per 100 g", c(12), false],
    ["below 7.5 % per 100 ml of a drink", { ...c(5.9), basis: "per_100ml", is_drink: true }, true],
    ["7.5 % per 100 ml of a drink", { ...c(6), basis: "per_100ml", is_drink: true }, false],
    [
      "15 % of a pack of one portion",
      { ...c(6), portion: { size: 200, unit: "g", servings_per_pack: 1 } },
      false,
    ],
    [
      "15 % of one portion of two",
      { ...c(6), portion: { size: 200, unit: "g", servings_per_pack: 2 } },
      true,
    ],
  ] as const)("%s", (_, given, isOmitted) =>
    expect(panel(given).omitted).toEqual(isOmitted ? ["vitamin_c"] : []),
  );

  it("is a rule of the EU panel alone", () => expect(panel(c(1), { mode: "us" }).omitted).toEqual([]));
});

describe("basis", () => {
  it("tells what the facts lack", () => {
    const ask = (given: Partial<NutritionFacts>, per: "100" | "portion") =>
      buildPanel(facts(given), { mode: "eu", per, negligible: "less_than", population: "adults" });
    expect(ask({}, "portion")).toEqual({ fault: "portion_required" });
    expect(ask({ portion: { size: 250, unit: "ml" } }, "portion")).toEqual({ fault: "density_required" });
    expect(ask({ portion: { size: 250, unit: "ml" }, density_g_per_ml: 1.04 }, "portion")).toMatchObject({
      basis: "per portion of 250 ml",
    });
  });

  it("goes by density from grams to millilitres and back", () => {
    const juice = { density_g_per_ml: 1.04, carbohydrate: 10, portion: { size: 250, unit: "ml" } } as const;
    expect(rowOf(juice, "carbohydrate", { per: "portion" }).display).toBe("26 g");
    expect(rowOf({ ...juice, basis: "per_100ml" }, "carbohydrate", { per: "portion" }).display).toBe("25 g");
    expect(
      rowOf({ ...juice, basis: "per_100ml", portion: { size: 104, unit: "g" } }, "carbohydrate", {
        per: "portion",
      }).display,
    ).toBe("10 g");
  });

  it("brings facts per portion to 100 g", () => {
    const bar = {
      basis: "per_portion",
      portion: { size: 40, unit: "g" },
      fat: 10,
      carbohydrate: 20,
    } as const;
    expect(rowOf(bar, "fat").display).toBe("25 g");
    expect(rowOf(bar, "fat", { per: "portion" }).display).toBe("10 g");
  });

  it("a panel per portion is the panel per 100 of that portion, in every mode", () => {
    const amounts = fc.record({ fat: decimals(30), carbohydrate: decimals(30), protein: decimals(30) });
    fc.assert(
      fc.property(
        amounts,
        fc.integer({ min: 1, max: 1000 }),
        fc.constantFrom<ModeId>("uk", "eu", "us", "ca", "au_nz"),
        (given, size, mode) => {
          const scale = (value: number): number => new Big(value).times(size).div(100).toNumber();
          const portion = { size, unit: "g" } as const;
          const perPortion = panel({ ...given, fibre: 1, portion }, { mode, per: "portion" });
          const direct = panel(
            {
              basis: "per_portion",
              portion,
              fat: scale(given.fat),
              carbohydrate: scale(given.carbohydrate),
              protein: scale(given.protein),
              fibre: scale(1),
            },
            { mode, per: "portion" },
          );
          expect(direct).toEqual(perPortion);
        },
      ),
      seeded(300),
    );
  });
});

describe("PANELS", () => {
  it("names every row of a mode once, and a source", () => {
    for (const { rows, source } of Object.values(PANELS)) {
      const keys = rows.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(source).not.toBe("");
    }
  });
});
