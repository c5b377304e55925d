import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { matchesGlob } from "node:path";

import { describe, expect, it } from "vitest";

import { alone, systems } from "./vitest.config.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("the test commands", () => {
  it("are documented in the README and run by CI", () => {
    const readme = read("README.md");
    const gate = read(".ci/run").split("\n");
    for (const command of ["npm test", "npm run test:systems"]) {
      expect(readme).toContain(command);
      expect(gate).toContain(command);
    }
  });

  it("run all projects, and every pattern of those with real systems matches files", () => {
    const { scripts } = JSON.parse(read("package.json"));
    expect(scripts["test"]).toMatch(/--project service$/);
    expect(scripts["test:systems"]).toMatch(/--project systems --project alone$/);
    const files = readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" });
    const unmatched = [...systems, ...alone]
      .flatMap(alternatives)
      .filter((pattern) => !files.some((file) => matchesGlob(`test/${file}`, pattern)));
    expect(unmatched).toEqual([]);
  });
});

/** The two patterns of `a/{b,c}.ts`. */
function alternatives(pattern: string): string[] {
  const choice = /\{([^}]*)\}/.exec(pattern);
  if (choice === null) return [pattern];
  return String(choice[1])
    .split(",")
    .flatMap((name) => alternatives(pattern.replace(choice[0], name)));
}

describe("node test/figures.mjs", () => {
  it("prints each figure with its name, and the OpenAPI document stays loadable", () => {
    const script = new URL("figures.mjs", import.meta.url).pathname;
    const lines = execFileSync(process.execPath, [script], { encoding: "utf8" }).trimEnd().split("\n");
    const figures = new Map(lines.map((line) => [line.slice(11), Number(line.slice(0, 9))]));
    expect(figures.get("lines of the product")).toBeGreaterThan(figures.get("lines of engines") ?? 0);
    expect(figures.get("bytes of the served OpenAPI document")).toBeLessThan(DOCUMENT_BYTES_MAX);
  }, 180_000);
});

/** May only become smaller: equal parts are shared as components. */
const DOCUMENT_BYTES_MAX = 1_900_000;
