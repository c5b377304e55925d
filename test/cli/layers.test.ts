import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

/** The folders of cli/ in order: each imports only from those before it, and from itself. */
const ORDER = [
  "terminal",
  "command",
  "client",
  "calls",
  "live",
  "storage",
  "serve",
  "help",
  "mcp",
  "commands",
  "program",
];
const root = join(import.meta.dirname, "../../cli");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

/** Files of cli/ that `file` imports, types and late imports included. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)]
    .map(([, specifier = ""]) => join(dirname(file), specifier))
    .filter((target) => files.includes(target));

it("imports downward only", () => {
  const layer = (file: string): number => ORDER.indexOf(file.split("/")[0] ?? "");
  expect(files.filter((file) => layer(file) === -1)).toEqual([]);
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => layer(target) > layer(file))
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

it("has no circle of imports, type-only ones included", () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, above: readonly string[]): void => {
    if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(" → "));
    if (above.includes(file) || done.has(file)) return;
    for (const target of importsOf(file)) visit(target, [...above, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
