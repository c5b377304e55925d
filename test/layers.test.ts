import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";

import { describe, expect, it } from "vitest";

/**
 * The layers of ARCHITECTURE.md, lowest first. A file imports from its own folder's layer or from a lower one, types
 * included; folders of one layer do not import each other.
 */
const LAYERS = [
  ["lib"],
  ["contract"],
  ["core"],
  ["config"],
  ["storage", "http", "outgoing"],
  ["mail", "jobs", "ai", "observability", "openapi"],
  ["engines"],
  ["accounts"],
  ["operations"],
  ["site"],
  ["serve"],
  ["cli"],
  ["bin"],
];
const root = new URL("..", import.meta.url).pathname;
const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "server", "cli", "bin"],
  { cwd: root, encoding: "utf8" },
)
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));

/** The contract that drivers implement lies below the core; the drivers above it. Loose files of server/ wire it all. */
function layerOf(file: string): string {
  const [top = "", folder = "", name = ""] = file.split("/");
  if (top !== "server") return top;
  if (folder.endsWith(".ts")) return "serve";
  return folder === "storage" && /^(contract|own)\.ts$/.test(name) ? "contract" : folder;
}

const rankOf = (layer: string): number => LAYERS.findIndex((names) => names.includes(layer));

const imports = new Map(
  files.map((file) => {
    const text = readFileSync(`${root}/${file}`, "utf8");
    const specs = Array.from(
      text.matchAll(/^(?:import|export)\b[^"';]*?from "(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm),
    );
    const targets = specs.map(([, a, b]) => posix.join(posix.dirname(file), a ?? b ?? ""));
    return [file, targets.filter((target) => target.endsWith(".ts"))] as const;
  }),
);
const arrows = Array.from(imports, ([from, targets]) => targets.map((to) => ({ from, to }))).flat();

describe("the layers", () => {
  it("know every folder", () => {
    expect(files.filter((file) => rankOf(layerOf(file)) === -1)).toEqual([]);
    expect(arrows.length).toBeGreaterThan(3_000);
  });

  it("import downward only, type-only imports included", () => {
    const upward = arrows.filter(({ from, to }) => rankOf(layerOf(to)) > rankOf(layerOf(from)));
    expect(upward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
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
    expect(circles(imports)).toEqual([]);
  });
});

/** Strongly connected components with more than one file (Tarjan 1972), each as a sorted list. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.size - 1);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(file) !== index.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) found.push(component.toSorted());
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found;
}
