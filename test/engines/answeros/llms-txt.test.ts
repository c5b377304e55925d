import { describe, expect, it } from "vitest";

import { lintLlms, writeLlms, writeLlmsFull } from "../../../server/engines/answeros/rules/llms-txt.ts";

const codes = (text: string) => lintLlms(text).map(({ code }) => code);
const link = "- [Rye](https://crumb.example/rye): dense";
const good = `# Crumb\n\n> Bread from Hackney, baked daily.\n\n## Bread\n\n${link}\n`;

describe("lint", () => {
  it.each([
    ["a good one", good, []],
    ["no H1", good.replace("# Crumb", "Crumb"), ["no_h1", "h1_not_first"]],
    ["no link", good.replace(link, "- Rye, which is dense and dark"), ["no_link", "not_a_link"]],
    ["49 characters", `# C\n[R](https://a.example/)\n${"x".repeat(21)}`, ["too_short"]],
    ["50 characters", `# C\n[R](https://a.example/)\n${"x".repeat(22)}`, []],
    ["words before the H1", `Hello\n${good}`, ["h1_not_first"]],
    ["a heading of the third level", `${good}### More\n`, ["deep_heading"]],
    ["a summary after the sections", `${good}\n> Late\n`, ["late_quote"]],
    ["a relative link", good.replace("https://crumb.example/rye", "/rye"), ["relative_link"]],
  ])("%s", (_, text, expected) => expect(codes(text)).toEqual(expected));

  it("reads a file of nothing but brackets in one pass", () => {
    expect(codes("[".repeat(100_000))).toContain("no_link");
    expect(codes("\n".repeat(100_000))).toContain("no_h1");
  });
});

describe("writing", () => {
  const source = {
    name: "Crumb\n# Evil",
    summary: "Bread from\nHackney, baked daily.",
    sections: [
      {
        title: "Bread",
        links: [{ name: "Rye [new]", url: "https://crumb.example/rye", notes: "dense\nand dark" }],
      },
      { title: "Empty", links: [] },
    ],
  };

  it("gives a file without findings, whatever the texts hold", () => {
    const text = writeLlms(source);
    expect(lintLlms(text)).toEqual([]);
    expect(text).toBe(
      "# Crumb # Evil\n\n> Bread from Hackney, baked daily.\n\n## Bread\n\n- [Rye new](https://crumb.example/rye): dense and dark\n",
    );
  });

  it("keeps links whole whose URL or title has brackets", () => {
    const link = { name: "Rye (large)", url: "https://crumb.example/rye_(large)", notes: null };
    const text = writeLlms({ ...source, sections: [{ title: "Bread", links: [link] }] });
    expect(lintLlms(text)).toEqual([]);
    expect(text).toContain("- [Rye (large)](https://crumb.example/rye_%28large%29)");
    const full = writeLlmsFull(source, [{ title: "Rye [new]", url: link.url, text: "Dense." }], 1_000);
    expect(full).toContain("Source: [Rye new](https://crumb.example/rye_%28large%29)");
  });

  it("takes whole pages only, and those that fit", () => {
    const page = (title: string, size: number) => ({
      title,
      url: `https://crumb.example/${title}`,
      text: "x".repeat(size),
    });
    const text = writeLlmsFull(source, [page("a", 100), page("b", 5_000), page("c", 100)], 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect([text.includes("## a"), text.includes("## b"), text.includes("## c")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("leaves out links beyond the size of a file", () => {
    const links = Array.from({ length: 400 }, (_, at) => ({
      name: `Loaf ${at}`,
      url: `https://crumb.example/${at}`,
      notes: "x".repeat(400),
    }));
    const text = writeLlms({ ...source, sections: [{ title: "Bread", links }] });
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.length).toBeGreaterThan(99_000);
    expect(codes(text)).toEqual([]);
  });
});
