import { describe, expect, it } from "vitest";

import { fillSheetRow, sheetColumns } from "../../../server/engines/allergens/rules/fill-sheet.ts";
import { declared, fresh, line, verified } from "./make.ts";

describe("fillSheetRow", () => {
  const about = (mode: "uk" | "us") => ({ mode, locale: "en" as const, columns: sheetColumns(mode, "en") });
  const cell = (title: string, mode: "uk" | "us", status = fresh) => {
    const food = verified({
      ingredients: [line("flour", ["wheat"]), line("nuts", ["hazelnut"])],
      declarations: [declared("almond", "may_contain")],
    });
    const at = about(mode).columns.findIndex((column) => column.title === title);
    return fillSheetRow(food, status, about(mode))[at];
  };
  it("names the kinds of a group, and knows an absence only where it was verified", () => {
    expect(cell("gluten", "uk")).toEqual({ contains: ["wheat"], may_contain: [], isKnown: true });
    expect(cell("nuts", "uk")).toEqual({ contains: ["hazelnut"], may_contain: ["almond"], isKnown: true });
    expect(cell("milk", "uk")).toEqual({ contains: [], may_contain: [], isKnown: true });
    expect(cell("milk", "us")?.isKnown).toBe(false);
    expect(cell("milk", "uk", { status: "stale", stale_reasons: [] })?.isKnown).toBe(false);
  });
  it("shows what is recorded and not regulated in the column of its group: pine nuts are in the food", () => {
    const food = verified({
      ingredients: [line("pine nuts", ["pine_nut"])],
      declarations: [declared("black_walnut", "may_contain")],
    });
    const nuts = (mode: "uk" | "eu", locale: "en" | "de") => {
      const columns = sheetColumns(mode, locale);
      const at = columns.findIndex(({ codes }) => codes.has("almond"));
      return fillSheetRow(food, fresh, { mode, locale, columns })[at];
    };
    expect(nuts("uk", "en")).toMatchObject({ contains: ["pine nut"], may_contain: ["black walnut"] });
    expect(nuts("eu", "de")).toMatchObject({ contains: ["Schalenfrüchte"], may_contain: ["Walnüsse"] });
  });
  it("has no column for gluten where a mode does not regulate all of it", () => {
    const titles = sheetColumns("us", "en").map(({ title }) => title);
    expect([titles.includes("gluten"), titles.includes("wheat")]).toEqual([false, true]);
  });
});
