import { describe, expect, it } from "vitest";

import { CODES, codeOf } from "../../../server/engines/allergens/data/codes.ts";
import { MODE_IDS } from "../../../server/engines/allergens/data/modes.ts";
import {
  candidatesFor,
  codesOfMode,
  familiesOf,
  isFullyRegulated,
  isRelated,
  isUnspecific,
  narrowerOf,
  widerOf,
} from "../../../server/engines/allergens/rules/taxonomy.ts";

const EU_NUTS = ["almond", "brazil_nut", "cashew", "hazelnut", "macadamia", "pecan", "pistachio", "walnut"];

describe("codes by mode", () => {
  // The table of the notes, row by row: the codes that each mode has declared by their own name.
  const cereals = ["wheat", "rye", "barley", "oats", "triticale"];
  const common = ["fish", "egg", "milk", "peanut", "soy", "sesame"];
  it.each([
    [
      "uk",
      [...cereals, "crustacean", "mollusc", ...common, ...EU_NUTS, "celery", "mustard", "lupin", "sulphites"],
    ],
    [
      "eu",
      [...cereals, "crustacean", "mollusc", ...common, ...EU_NUTS, "celery", "mustard", "lupin", "sulphites"],
    ],
    ["au_nz", [...cereals, "crustacean", "mollusc", ...common, ...EU_NUTS, "pine_nut", "lupin", "sulphites"]],
  ] as const)("%s has exactly its list", (mode, codes) => {
    expect(codesOfMode(mode).sort()).toEqual([...codes].sort());
  });

  it("us has FDA's twelve tree nuts, wheat alone of the cereals, and names the species", () => {
    const us = codesOfMode("us");
    expect(us).toEqual(
      expect.arrayContaining([...EU_NUTS, "pine_nut", "black_walnut", "california_walnut", "heartnut"]),
    );
    for (const absent of [
      "rye",
      "barley",
      "oats",
      "mollusc",
      "celery",
      "mustard",
      "lupin",
      "sulphites",
      "coconut",
    ])
      expect(us).not.toContain(absent);
    expect(us).toEqual(expect.arrayContaining(["wheat", "cod", "shrimp", "sesame"]));
  });

  it("ca has mustard and gluten sources, neither celery nor lupin, and names the species of molluscs too", () => {
    const ca = codesOfMode("ca");
    expect(ca).toEqual(
      expect.arrayContaining(["mustard", "rye", "triticale", "pine_nut", "oyster", "cod", "crab"]),
    );
    for (const absent of ["celery", "lupin", "black_walnut"]) expect(ca).not.toContain(absent);
    expect(codeOf("black_walnut").declared_as).toMatchObject({ uk: null, us: "black_walnut", ca: "walnut" });
  });

  it("declares every code under one that the mode knows", () => {
    for (const { declared_as: as } of CODES) {
      for (const mode of MODE_IDS) {
        const under = as[mode];
        if (under !== null) expect(codeOf(under).declared_as[mode]).toBe(under);
      }
    }
  });

  it("leaves what FDA took off its list unregulated everywhere", () => {
    for (const code of [
      "coconut",
      "chestnut",
      "shea",
      "beech_nut",
      "butternut",
      "hickory",
      "pili_nut",
      "ginkgo_nut",
      "lychee_nut",
    ])
      expect(Object.values(codeOf(code).declared_as)).toEqual([null, null, null, null, null]);
  });
});

describe("wider and narrower", () => {
  it("follows parents all the way", () => {
    expect([...widerOf("triticale")].sort()).toEqual(["gluten", "rye", "triticale", "wheat"]);
    expect([...narrowerOf("wheat")].sort()).toEqual(["kamut", "khorasan", "spelt", "triticale", "wheat"]);
    expect([...narrowerOf("nuts")]).toEqual(expect.arrayContaining(["tree_nuts", "almond", "pine_nut"]));
    expect(familiesOf("almond")).toEqual(["nuts"]);
    expect(familiesOf("triticale")).toEqual(["gluten"]);
    expect(familiesOf("milk")).toEqual(["milk"]);
  });

  it("relates codes of one line, not brothers", () => {
    expect([isRelated("almond", "nuts"), isRelated("nuts", "almond"), isRelated("cod", "fish")]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isRelated("almond", "hazelnut"), isRelated("cod", "salmon"), isRelated("milk", "egg")]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("specific enough", () => {
  it.each(["nuts", "tree_nuts", "gluten", "shellfish"])("%s is so in no mode", (code) => {
    expect(MODE_IDS.filter((mode) => isUnspecific(code, mode))).toEqual([...MODE_IDS]);
  });
  it("fish without its kind is refused where the species is named", () => {
    for (const code of ["fish", "fish_unspecified", "crustacean"])
      expect(MODE_IDS.filter((mode) => isUnspecific(code, mode))).toEqual(["us", "ca"]);
    expect(MODE_IDS.filter((mode) => isUnspecific("mollusc", mode))).toEqual(["ca"]);
  });
  it("offers candidates that the mode knows", () => {
    expect(candidatesFor("tree_nuts", "uk").sort()).toEqual(EU_NUTS);
    expect(candidatesFor("tree_nuts", "us")).toHaveLength(12);
    expect(candidatesFor("gluten", "us")).toEqual(["wheat"]);
    expect(candidatesFor("fish", "us")).toEqual(expect.arrayContaining(["cod", "tuna"]));
    expect(candidatesFor("fish", "us")).not.toContain("fish");
  });
});

describe("what the absence of a declaration means", () => {
  it.each([
    ["milk", "uk", true],
    ["gluten", "uk", true],
    ["gluten", "us", false],
    ["celery", "us", false],
    ["nuts", "uk", true],
    ["shellfish", "us", false],
    ["pine_nut", "uk", false],
    ["cod", "uk", true],
    ["coconut", "uk", false],
  ] as const)("%s in %s: %s", (code, mode, expected) => expect(isFullyRegulated(code, mode)).toBe(expected));
});
