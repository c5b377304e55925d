import { expect, it } from "vitest";

import { benchPage } from "./page.mjs";

const result = {
  machine: { node: "v20.19.0", platform: "linux", arch: "x64" },
  options: { rounds: 3, seconds: 2 },
  sections: [
    {
      title: "A page of 20 <documents>",
      unit: "req/s",
      rows: [
        { name: "platform", values: [9_000, 11_000, 10_000], ratios: { "bare h3": 1.25 } },
        { name: "bare h3", values: [8_000, 8_200, 7_900] },
      ],
      notes: ["With a key."],
    },
    { title: "Start", unit: "ms", rows: [{ name: "call", values: [60, 62.5, 61] }] },
  ],
};

it("says what was measured, which direction is good, and the spread", () => {
  const files = benchPage(result);
  expect([...files.keys()]).toEqual(["a-page-of-20-documents.svg", "start.svg", "README.md"]);
  const page = files.get("README.md");
  expect(page).toContain("In req/s; **higher is better**.");
  expect(page).toContain("In ms; **lower is better**.");
  expect(page).toContain("| platform | 10,000 | 9,000 | 11,000 | 1.25 × bare h3 |");
  expect(page).toContain("- With a key.");
});

it("draws each section, with bars in the proportion of the medians and lines over the spread", () => {
  const svg = benchPage(result).get("a-page-of-20-documents.svg") ?? "";
  expect(svg).toContain('aria-label="A page of 20 &lt;documents&gt;, in req/s; higher is better"');
  const widths = [...svg.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(0.8, 2);
  const lines = [...svg.matchAll(/x1="([\d.]+)" x2="([\d.]+)"/g)].map(
    ([, from, to]) => Number(to) - Number(from),
  );
  expect((lines[0] ?? 0) / (lines[1] ?? 1)).toBeCloseTo(2_000 / 300, 1);
});
