import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { endpoints } from "./world.ts";

const root = new URL("..", import.meta.url).pathname;
const tests = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.includes("bench") && !file.startsWith("contract"))
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");

const codes = new Map(
  endpoints.flatMap(({ route }) =>
    route.errors.flatMap(({ code }) => (code === undefined ? [] : [[code, route.id] as const])),
  ),
);

describe("declared errors", () => {
  it("finds codes", () => expect(codes.size).toBeGreaterThan(10));

  it.each([...codes])("a test provokes %s of %s", (code) => {
    expect(tests).toMatch(new RegExp(`["'\`/ .:]${code}["'\`/ ,.:]`));
  });
});
