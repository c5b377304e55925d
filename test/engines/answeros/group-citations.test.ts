import { describe, expect, it } from "vitest";

import { groupCitations } from "../../../server/engines/answeros/rules/group-citations.ts";
import type { Aggregate } from "../../../server/engines/answeros/schema/tracking.ts";
import { A30, sumsOfAll } from "./fixture.ts";

const aggregate = (more: Partial<Aggregate>, answers = A30): Aggregate => ({
  id: "agg_1",
  kind: "prompt",
  day: "2026-06-01",
  engine: "chatgpt",
  topic: "bread",
  prompt_id: "prm_1",
  prompt_version: 1,
  extraction_version: 1,
  sums: sumsOfAll(answers),
  ...more,
});
const list = [
  aggregate({}),
  aggregate({ day: "2026-06-02", engine: "perplexity", prompt_version: 2 }, A30.slice(0, 2)),
];
const own = { ownDomains: ["crumb.example"], key: "sto_a" };
const rows = async (grouping: Parameters<typeof groupCitations>[1]) =>
  (await groupCitations(list, grouping, own)).map((row) => [
    row.url ?? row.domain ?? row.engine ?? row.day ?? `${row.prompt_id}.${row.prompt_version}`,
    row.answers,
    row.of_answers,
  ]);

describe("citations", () => {
  it("by domain are counted against all answers, the own one marked", async () => {
    expect(await rows({ by: "domain" })).toEqual([
      ["crumb.example", 2, 7],
      ["guide.example", 5, 7],
      ["loafly.example", 3, 7],
    ]);
    const marks = (await groupCitations(list, { by: "domain" }, own)).map((row) => row.own);
    expect(marks).toEqual([true, false, false]);
  });

  it("by URL, of one domain", async () => {
    expect(await rows({ by: "url", domain: "guide.example" })).toEqual([["https://guide.example/b", 5, 7]]);
  });

  it("by engine, day and prompt version are counted against the group", async () => {
    expect(await rows({ by: "engine" })).toEqual([
      ["chatgpt", 4, 5],
      ["perplexity", 2, 2],
    ]);
    expect(await rows({ by: "day" })).toEqual([
      ["2026-06-01", 4, 5],
      ["2026-06-02", 2, 2],
    ]);
    expect(await rows({ by: "prompt" })).toEqual([
      ["prm_1.1", 4, 5],
      ["prm_1.2", 2, 2],
    ]);
  });

  it("of one domain, by engine", async () => {
    expect(await rows({ by: "engine", domain: "loafly.example" })).toEqual([
      ["chatgpt", 2, 5],
      ["perplexity", 1, 2],
    ]);
    expect(await rows({ by: "engine", url: "https://nobody.example/" })).toEqual([
      ["chatgpt", 0, 5],
      ["perplexity", 0, 2],
    ]);
  });

  it("of nothing are none", async () => expect(await groupCitations([], { by: "domain" }, own)).toEqual([]));
});
