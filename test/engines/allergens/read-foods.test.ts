import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { loadFoods } from "../../../server/engines/allergens/data/foods.ts";
import { readFoods } from "../../../server/engines/allergens/rules/read-foods.ts";
import { labelWords } from "../../../server/engines/allergens/data/label-words.ts";
import { LANGUAGES } from "../../../server/engines/allergens/data/modes.ts";
import { isRelated, widerOf } from "../../../server/engines/allergens/rules/taxonomy.ts";

const codes = (name: string): string[] => [...new Set(readFoods(name).flatMap((each) => each.codes))].sort();
const origins = (name: string): string[] => [...new Set(readFoods(name).flatMap((each) => each.origins))];

describe("readFoods", () => {
  it("has more than 600 names in English, and German and French beside them, each with its source", () => {
    const { entries, sources } = loadFoods();
    const names = (language: "en" | "fr" | "de"): string[] =>
      entries.flatMap((each) => Object.keys(each.names[language]));
    const counts = [names("en"), names("fr"), names("de")].map((each) => new Set(each).size);
    expect(counts[0]).toBeGreaterThan(600);
    expect(Math.min(...counts)).toBeGreaterThan(400);
    const unsourced = entries
      .flatMap(({ names: each }) => Object.values(each).flatMap((list) => Object.values(list)))
      .filter((source) => sources[source] === undefined && !/^[a-z]{2}:\S+$/.test(source));
    expect(unsourced).toEqual([]);
  });

  it.each([
    ["whole milk powder", ["milk"]],
    ["wheat flour", ["wheat"]],
    ["cheddar", ["milk"]],
    ["tahini", ["sesame"]],
    ["mayonnaise", ["egg"]],
    ["marzipan", ["almond"]],
    ["Worcestershire sauce", ["barley", "fish"]],
    ["malt", ["barley"]],
    ["semolina", ["wheat"]],
    ["Crème fraîche", ["milk"]],
    ["Haselnusskerne", ["hazelnut"]],
    ["Weizenvollkornmehl", ["wheat"]],
    ["Magermilchpulver", ["milk"]],
    ["jaunes d’œufs", ["egg"]],
    ["E 223", ["sulphites"]],
    ["preservatives 223", ["sulphites"]],
    ["emulsifier (322)", ["soy"]],
    ["flour 220 g", ["wheat"]],
    ["anchovies", ["anchovy"]],
  ])("%s says %j", (name, expected) => expect(codes(name)).toEqual(expected));

  it.each([
    "coconut milk",
    "cocoa butter",
    "butter beans",
    "cream of tartar",
    "buckwheat flour",
    "nutmeg",
    "water chestnuts",
    "eggplant",
    "milk-free spread",
    "free from milk",
    "spread without milk",
    "vegan butter",
    "Kokosmilch",
    "Buchweizen",
    "Muskatnuss",
    "milchfrei",
    "lait de coco",
    "beurre de cacao",
    "noix de muscade",
    "farine de riz",
    "shea butter",
    "plant-based cheese",
    "sunflower lecithin",
    "rice noodles",
    "butternut squash",
    "dark chocolate",
    "vegan chocolate",
    "leche de coco",
    "sin leche",
    "senza latte",
    "farina di riso",
    "harina de arroz",
    "burro di cacao",
    "manteca de cacao",
    "noce moscata",
    "nuez moscada",
    "trigo sarraceno",
    "kokosmelk",
    "no cream cheese",
    "no peanut butter",
  ])("%s says nothing", (name) => expect(codes(name)).toEqual([]));

  it.each([
    ["peanut butter", ["peanut"]],
    ["almond milk", ["almond"]],
    ["oat milk", ["oats"]],
    ["Hafermilch", ["oats"]],
    ["Erdnussbutter", ["peanut"]],
    ["oyster mushrooms, milk", ["milk"]],
    ["coconut, milk", ["milk"]],
    ["gluten-free oats", ["oats"]],
    ["gluten-free beer", ["barley"]],
  ])("%s says only %j", (name, expected) => expect(codes(name)).toEqual(expected));

  it.each([
    ["Eggs free range", ["egg"]],
    ["Egg free-range", ["egg"]],
    ["Peanuts free from salt", ["peanut"]],
    ["Mandeln frei von Schale", ["almond"]],
    ["Milk fat-free", ["milk"]],
    ["Chocolate spread lactose free", ["milk"]],
    ["cioccolato senza lattosio", ["milk"]],
    ["Non-dairy creamer", ["milk"]],
  ])("%s says %j: what is free from something, or lives freely, is not absent", (name, expected) =>
    expect(codes(name)).toEqual(expected),
  );

  it("reads the names of Annex II in all languages of the Union, but for words that mean something else in another one", () => {
    const unread = LANGUAGES.flatMap((language) =>
      Object.entries(labelWords(language).names).filter(
        ([code, name]) =>
          !readFoods(name).some(({ codes: read }) => read.some((each) => isRelated(each, code))),
      ),
    ).map(([, name]) => name);
    expect(unread.sort()).toEqual(
      [
        "grano",
        "grâu",
        "korn",
        "oder",
        "orzo",
        "ovos",
        "raki",
        "ribe",
        "rug",
        "råg",
        "seller",
        "susan",
      ].sort(),
    );
    expect([codes("piens"), codes("sviests, kvieši"), codes("kala"), codes("kala chana")]).toEqual([
      ["milk"],
      ["wheat"],
      ["fish"],
      [],
    ]);
    expect(codes("lait d’amande")).toEqual(["almond"]);
  });

  it.each([
    ["Burger with or without cheese", ["milk", "wheat"]],
    ["Burger with/without cheese", ["milk", "wheat"]],
    ["Dinkelmilchbrötchen", ["milk", "spelt", "wheat"]],
    ["Salat mit oder ohne Käse", ["milk"]],
    ["Cheeseburger vegan option", ["milk", "wheat"]],
    ["Pizza gluten free base available", ["gluten", "milk", "wheat"]],
    ["Pancakes vegan on request", ["egg", "milk", "wheat"]],
  ])("%s says %j: what is offered as well takes nothing away", (name, expected) =>
    expect(codes(name)).toEqual(expected),
  );

  it.each([
    ["huile végétale et beurre", ["milk"]],
    ["vegan patty with cheese", ["milk"]],
    ["milk and vegan butter", ["milk"]],
    ["gluten-free bread with soy sauce", ["soy", "wheat"]],
    ["vegan bacon and egg roll", ["egg", "wheat"]],
    ["vegan ham and cheese", ["milk"]],
    ["vegan ham and vegan cheese", []],
    ["vegan burger and pancakes", ["wheat"]],
    ["crème végétale", []],
    ["vegan cheese or mozzarella", ["milk"]],
    ["gluten-free pasta or spaghetti", ["wheat"]],
    ["non-vegan cheese", ["milk"]],
    ["Brownie, not vegan, with butter", ["egg", "milk", "wheat"]],
    ["not gluten-free pasta", ["gluten", "wheat"]],
    ["isn't dairy-free", ["milk"]],
    ["Flapjack (isn’t nut free)", ["nuts", "oats"]],
  ])("%s says %j: a word that excludes is said of its own food", (name, expected) =>
    expect(codes(name)).toEqual(expected),
  );

  it.each([
    ["Pistachio ice cream", ["milk", "pistachio"]],
    ["Hazelnut milk chocolate", ["hazelnut", "milk"]],
    ["Almond milk chocolate", ["almond", "milk"]],
    ["Haselnussmilchschokolade", ["hazelnut", "milk"]],
    ["walnut cream cheese", ["milk", "walnut"]],
    ["hazelnut yoghurt", ["hazelnut", "milk"]],
    ["Lemon cheesecake", ["milk", "wheat"]],
    ["Lemon ricotta", ["milk"]],
    ["Chocolate meringue", ["egg", "milk"]],
    ["Crab mayo", ["crab", "egg"]],
    ["Corn muffin", ["egg", "milk", "wheat"]],
    ["Prawn linguine", ["prawn", "wheat"]],
    ["Potato gnocchi", ["wheat"]],
    ["Salmon bagel", ["salmon", "wheat"]],
    ["coconut semolina", ["wheat"]],
    ["oat ice cream", ["oats"]],
    ["lemon cheese", []],
    ["chocolate egg", ["milk"]],
    ["prawn cracker", ["crustacean"]],
    ["potato noodles", []],
  ])("%s says %j: what makes one food another is a taste of the next", (name, expected) =>
    expect(codes(name)).toEqual(expected),
  );

  it("reads the alcohol of what is not said to be without", () =>
    expect(readFoods("alcohol-free beer and wine").some(({ alcohol }) => alcohol)).toBe(true));

  it("reads animals and alcohol", () => {
    expect(origins("lard")).toEqual(["pork"]);
    expect(origins("gelatine")).toEqual(["meat", "pork"]);
    expect(origins("Honig")).toEqual(["honey"]);
    expect(["coconut chicken curry", "vegetable beef soup", "apple veal"].map(origins)).toEqual([
      ["meat"],
      ["meat"],
      ["meat"],
    ]);
    expect(["coconut meat", "vegetable suet", "Fruchtfleisch", "soy chicken"].flatMap(origins)).toEqual([]);
    expect(readFoods("beef in red wine").some(({ alcohol }) => alcohol)).toBe(true);
    expect(origins("carmine (E120)")).toEqual(["insect"]);
    expect(readFoods("dark rum").some(({ alcohol }) => alcohol)).toBe(true);
    expect(readFoods("alcohol-free beer").some(({ alcohol }) => alcohol)).toBe(false);
  });

  it("takes linear time for hostile text", () => {
    // Processor time of this process, the least of a few runs: how busy the machine is does not count.
    const timeOnce = (text: string): number => {
      const start = process.cpuUsage();
      readFoods(text);
      return process.cpuUsage(start).user / 1_000;
    };
    const time = (text: string): number => Math.min(...[1, 2, 3].map(() => timeOnce(text)));
    for (const unit of [
      "milk ",
      "a",
      "butter-",
      "weizen",
      "e 3 ",
      "free from ",
      "vegan milk ",
      "milk free pesto ",
      "(((",
      "œ̈",
    ]) {
      const [once = 0, tenfold = 0] = [2_000, 20_000].map((count) => time(unit.repeat(count)));
      // A quadratic reading takes a hundred times as long.
      expect(tenfold, unit).toBeLessThan(40 * Math.max(once, 10));
    }
  });
});

// Dishes, brands and regional names by one code that each of them holds; also as copied from documents: with soft hyphens,
// marks of width, signs of footnotes, and the dotless i of a Turkish keyboard.
const named = z
  .record(z.string(), z.array(z.string()))
  .parse(JSON.parse(readFileSync(new URL("./data/food-names.json", import.meta.url), "utf8")));

it.each(Object.entries(named))("finds %s in every name that holds it", (code, names) => {
  expect(names.filter((name) => !codes(name).some((each) => widerOf(each).has(code)))).toEqual([]);
});

it.each([
  "shepherd's pie",
  "butter chicken",
  "boeuf bourguignon",
  "jamón",
  "Hühnerfett",
  "frog legs",
  "Peking duck",
  "pâté de foie",
  "Haribo",
  "insects",
  "sea urchin",
  "lièvre",
])("knows that %s is of an animal", (name) => expect(origins(name)).not.toEqual([]));

describe("plurals", () => {
  const codesOf = (text: string) => readFoods(text).flatMap(({ codes }) => codes);

  it.each([
    ["Flusskrebse", "Flusskrebs"],
    ["Nudeln", "Nudel"],
    ["Weinbergschnecken", "Weinbergschnecke"],
    ["écrevisses", "écrevisse"],
    ["bigorneaux", "bigorneau"],
    ["Glasnudeln", "Glasnudel"],
    ["Kekse", "Keks"],
    ["cookies", "cookie"],
    ["chocolate brownies", "chocolate brownie"],
    ["baby octopuses", "octopus"],
  ])("reads %s as %s", (plural, singular) => expect(codesOf(plural)).toEqual(codesOf(singular)));

  it("takes an ending off in the language of the name only: Beeren are no beer", () =>
    expect(codesOf("Beeren")).toEqual([]));
});
