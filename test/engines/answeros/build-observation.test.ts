import { describe, expect, it } from "vitest";

import {
  base32,
  buildObservation,
  citationsOf,
  domainOf,
  tidyUrl,
} from "../../../server/engines/answeros/rules/build-observation.ts";

const raw = {
  origin: "import" as const,
  run_id: null,
  prompt_id: "prm_1",
  prompt_version: 1,
  topic: "bread",
  locale: "en-GB",
  engine: "chatgpt",
  model: null,
  sample: 1,
  at: "2026-06-01T08:00:00.000Z",
  answer_text: "Crumb.",
  citations: [{ url: "https://crumb.example/" }],
  sentiment: null,
};
const idOf = (change: Partial<typeof raw> | { run_id: string } = {}) =>
  buildObservation({ ...raw, ...change }, "2026-06-02T00:00:00.000Z").id;

describe("an observation", () => {
  it("has the id of what it says, whoever hands it in and whenever", () => {
    expect(idOf()).toMatch(/^obs_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(buildObservation(raw, "2027-01-01T00:00:00.000Z").id).toBe(idOf());
    expect(idOf({ topic: "other" })).toBe(idOf());
  });

  it.each([
    [{ prompt_id: "prm_2" }],
    [{ prompt_version: 2 }],
    [{ engine: "perplexity" }],
    [{ sample: 2 }],
    [{ at: "2026-06-01T08:00:00.001Z" }],
    [{ answer_text: "Crumb!" }],
    [{ citations: [] }],
    [{ run_id: "run_1" }],
  ])("is another one with %o", (change) => expect(idOf(change)).not.toBe(idOf()));
});

describe("citations", () => {
  it("keep their number, or have their place", () => {
    const found = citationsOf([{ url: "https://a.example/", n: 7 }, { url: "https://b.example/" }]);
    expect(found.map(({ n, position }) => [n, position])).toEqual([
      [7, 1],
      [2, 2],
    ]);
  });
  it("leave out what is no web address", () => {
    expect(
      citationsOf([{ url: "mailto:a@b.example" }, { url: "javascript:alert(1)" }, { url: "no" }]),
    ).toEqual([]);
  });
  it("have domains without www, and addresses without marks of visitors", () => {
    expect(domainOf("https://WWW.Crumb.example/x")).toBe("crumb.example");
    expect(tidyUrl("https://crumb.example/x?utm_source=chatgpt.com&size=2#top")).toBe(
      "https://crumb.example/x?size=2",
    );
  });
});

it("writes a hash as 26 digits of an id", () => {
  expect(base32("0".repeat(64))).toBe("0".repeat(26));
  expect(base32(`${"0".repeat(32)}1${"f".repeat(31)}`)).toBe(`${"0".repeat(25)}1`);
});
