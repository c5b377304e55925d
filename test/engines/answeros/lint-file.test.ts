import { expect, it } from "vitest";

import { lintFile } from "../../../server/engines/answeros/rules/lint-file.ts";
import { FILE_NAMES } from "../../../server/engines/answeros/schema/files.ts";

it("knows every file by its own rules", () => {
  expect(FILE_NAMES.map((name) => lintFile(name, "bread")[0]?.code)).toEqual([
    "no_h1",
    "no_h1",
    "unknown_line",
    "bad_json",
  ]);
});

it("does not hold the order of a short file against a full one", () => {
  const text = `# Crumb\n\n## Rye\n\n> A quote in the page.\n\n- no link here, but [one](https://a.example/) in the text\n`;
  expect(lintFile("llms.txt", text)).not.toEqual([]);
  expect(lintFile("llms-full.txt", text)).toEqual([]);
});

it("returns the first hundred findings, errors first", () => {
  const warnings = "- bread\n".repeat(300);
  const found = lintFile("llms.txt", `# Crumb\n\n## Rye\n${warnings}`);
  expect(found).toHaveLength(100);
  expect(found[0]).toMatchObject({ code: "no_link", severity: "error" });
  expect(found.slice(1).every(({ severity }) => severity === "warning")).toBe(true);
});
