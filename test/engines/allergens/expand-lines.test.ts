import { describe, expect, it } from "vitest";

import {
  expandLines,
  factsOf,
  findLineFault,
  findSizeFault,
} from "../../../server/engines/allergens/rules/expand-lines.ts";
import type { Ingredient, LineInput } from "../../../server/engines/allergens/schema/ingredient.ts";
import { namedIn, walkLines } from "../../../server/engines/allergens/rules/walk-lines.ts";
import { line, NOW } from "./make.ts";

const shared = (id: string, facts: Partial<Ingredient>): [string, Ingredient] => [
  id,
  {
    id,
    created_at: NOW,
    updated_at: NOW,
    revision: 3,
    ...factsOf({ name: id }),
    sub_ingredients: [],
    ...facts,
  },
];
const library = new Map([
  shared("ing_pesto", {
    name: "pesto",
    sub_ingredients: [{ ingredient_id: "ing_cheese", percent: 20 }, { name: "basil" }],
  }),
  shared("ing_cheese", { name: "Parmesan", contains: ["milk"], animal_origin: "dairy" }),
]);
const expand = (inputs: LineInput[]) =>
  expandLines(inputs, library, (input, index) => input.id ?? `lin_${index}`);

describe("expandLines", () => {
  it("takes everything from the library, with its revision, and names inner lines after the outer", () => {
    const [pesto] = expand([{ ingredient_id: "ing_pesto", percent: 12 }]);
    expect(pesto).toMatchObject({
      id: "lin_0",
      name: "pesto",
      percent: 12,
      ingredient_id: "ing_pesto",
      ingredient_revision: 3,
    });
    expect(pesto?.sub_ingredients).toMatchObject([
      { id: "lin_0.1", name: "Parmesan", contains: ["milk"], percent: 20, ingredient_id: "ing_cheese" },
      { id: "lin_0.2", name: "basil", ingredient_id: null, ingredient_revision: null },
    ]);
    expect(namedIn(pesto === undefined ? [] : [pesto])).toEqual(["ing_pesto", "ing_cheese"]);
  });
  it("gives every line inside an id of its own", () => {
    const sub = (name: string, inner: LineInput[] = []): LineInput => ({ name, sub_ingredients: inner });
    const filling = shared("ing_filling", {
      sub_ingredients: [sub("syrup", [sub("water"), sub("starch")]), sub("flour")],
    });
    const lines = expandLines([{ ingredient_id: "ing_filling" }], new Map([filling]), () => "lin");
    const ids = [...walkLines(lines)].map(({ line: { id } }) => id);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });
  it("keeps what a request writes out, each code once", () => {
    expect(
      expand([{ id: "mine", name: "roux", contains: ["wheat", "wheat"], alcohol: true }])[0],
    ).toMatchObject({
      id: "mine",
      contains: ["wheat"],
      alcohol: true,
      animal_origin: "none",
    });
  });
});

describe("findLineFault", () => {
  it.each([
    ["neither name nor ingredient", [{ percent: 5 }], "name"],
    ["both", [{ ingredient_id: "ing_cheese", contains: ["milk"] }], "contains"],
    ["an unknown ingredient", [{ ingredient_id: "ing_nothing" }], "ingredient_id"],
    [
      "an id twice",
      [
        { id: "one", name: "a" },
        { id: "one", name: "b" },
      ],
      "id",
    ],
  ] as const)("%s", (_, inputs, member) => {
    expect(findLineFault(inputs as unknown as LineInput[], library, ["ingredients"])?.path.at(-1)).toBe(
      member,
    );
  });
  it("names the place deep inside", () => {
    const inputs = [{ name: "a", sub_ingredients: [{ name: "b" }, { percent: 1 }] }];
    expect(findLineFault(inputs, library, ["ingredients"])?.path).toEqual([
      "ingredients",
      0,
      "sub_ingredients",
      1,
      "name",
    ]);
    expect(findLineFault([{ name: "a" }], library, [])).toBeNull();
  });
});

describe("findSizeFault", () => {
  const nest = (depth: number): ReturnType<typeof line> =>
    line("x", [], depth === 1 ? {} : { sub_ingredients: [nest(depth - 1)] });
  it("bounds number, depth and library ingredients", () => {
    expect(findSizeFault([nest(6)], [])).toBeNull();
    expect(findSizeFault([nest(7)], [])?.detail).toContain("levels");
    expect(
      findSizeFault(
        Array.from({ length: 301 }, () => line("x")),
        [],
      )?.detail,
    ).toContain("300");
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => line("x", [], { ingredient_id: `ing_${index}` }));
    expect(findSizeFault(many(50), [])).toBeNull();
    expect(findSizeFault(many(51), [])?.detail).toContain("50");
  });
});
