import { describe, expect, it } from "vitest";

import {
  arrows,
  importCircles,
  layerOf,
  LAYERS,
  rankOf,
  sources,
  unusedExports,
  upwardArrows,
} from "./source-graph.ts";

describe("the layers", () => {
  it("know every folder", () => {
    expect([...sources.keys()].filter((file) => rankOf(layerOf(file)) === -1)).toEqual([]);
    expect(arrows.length).toBeGreaterThan(3_000);
  });

  it("import downward only, type-only imports included", () => {
    expect(upwardArrows()).toEqual([]);
  });

  it("do not reach into another folder of their layer", () => {
    const sideways = arrows.filter(({ from, to }) => {
      const [a, b] = [layerOf(from), layerOf(to)];
      return a !== b && rankOf(a) === rankOf(b);
    });
    expect(sideways.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("keep engines apart: they meet by events and by ports declared in the core", () => {
    const engineOf = (file: string) => (layerOf(file) === "engines" ? file.split("/")[2] : undefined);
    const across = arrows.filter(({ from, to }) => {
      const [a, b] = [engineOf(from), engineOf(to)];
      return a !== undefined && b !== undefined && a !== b;
    });
    expect(across).toEqual([]);
  });

  it("keep engines away from adapters: what an engine needs of one is a port of the core", () => {
    const adapters = new Set(LAYERS.slice(4, 6).flat());
    const reach = arrows.filter(({ from, to }) => layerOf(from) === "engines" && adapters.has(layerOf(to)));
    expect(reach).toEqual([]);
  });

  it("have no circle, type-only imports included", () => {
    expect(importCircles()).toEqual([]);
  });

  it("export values only to other files", () => expect(unusedExports()).toEqual([]));
});
