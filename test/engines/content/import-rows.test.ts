import { expect, it } from "vitest";

import { fittingRows } from "../../../server/engines/content/rules/import-rows.ts";

const row = (url: string) => ({ url, keyphrase: null, title: null });

it("takes as many rows as one document holds", () => {
  expect(fittingRows([])).toEqual([]);
  expect(fittingRows(Array.from({ length: 2_001 }, () => row("https://a.b/")))).toHaveLength(2_000);
  const long = Array.from({ length: 1_000 }, () => row(`https://a.b/${"é".repeat(400)}`));
  const fitting = fittingRows(long);
  expect(Buffer.byteLength(JSON.stringify(fitting))).toBeLessThan(245_000);
  expect(fitting.length).toBeGreaterThan(200);
});
