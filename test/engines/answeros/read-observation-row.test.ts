import { describe, expect, it } from "vitest";

import { ANSWEROS_LIMITS } from "../../../server/engines/answeros/schema.ts";
import { readObservationRow } from "../../../server/engines/answeros/rules/read-observation-row.ts";

const row = {
  prompt_id: "prm_1",
  engine: "ChatGPT",
  at: "2026-06-01T08:00:00+01:00",
  answer_text: " Crumb. ",
};

describe("a row", () => {
  it("is read with what it leaves out", () => {
    expect(readObservationRow(row)).toEqual({
      ok: true,
      value: {
        prompt_id: "prm_1",
        engine: "chatgpt",
        at: "2026-06-01T07:00:00.000Z",
        answer_text: " Crumb. ",
        citations: [],
        model: null,
        sentiment: null,
        sample: 1,
      },
    });
  });

  it.each([
    "2026-06-01T23:00:00",
    "2026-06-01 23:00",
    "6/1/2026 11:00 PM",
    "2026-06-02 01:00:00 +0200",
    "1 Jun 2026 19:00 EDT",
  ])("has the zone that it names, or UTC: %s", (at) => {
    const before = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      expect(readObservationRow({ ...row, at })).toMatchObject({ value: { at: "2026-06-01T23:00:00.000Z" } });
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  it("is read with all it can have", () => {
    const full = {
      ...row,
      citations: "https://a.example/ | https://b.example/\nhttps://c.example/",
      model: "x",
      sentiment: "Positive",
      sample: "3",
    };
    expect(readObservationRow(full)).toMatchObject({
      value: {
        citations: [
          { url: "https://a.example/" },
          { url: "https://b.example/" },
          { url: "https://c.example/" },
        ],
        sentiment: "positive",
        sample: 3,
      },
    });
  });

  it("is read with some more citations than it can have, of thousands", () => {
    const read = readObservationRow({ ...row, citations: " a |".repeat(10_000) });
    expect(read.ok && read.value.citations.length).toBe(ANSWEROS_LIMITS.citationsPerAnswer + 3);
  });

  it.each([
    ["prompt_id", { prompt_id: " " }],
    ["engine", { engine: "Chat GPT" }],
    ["at", { at: "yesterday" }],
    ["sentiment", { sentiment: "good" }],
    ["sample", { sample: "0" }],
  ])("tells that %s is wrong", (column, change) => {
    expect(readObservationRow({ ...row, ...change })).toEqual({ ok: false, column });
  });
});
