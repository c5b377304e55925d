import { expect, it } from "vitest";

import { readingChecks } from "../../../server/engines/content/rules/reading-checks.ts";
import { factsWith, GOOD } from "./facts.ts";

it.each([
  ["r1", { flesch: 60 }, "good"],
  ["r1", { flesch: 59.99 }, "ok"],
  ["r1", { flesch: 50 }, "ok"],
  ["r1", { flesch: 49.99 }, "bad"],
  ["r1", { flesch: null }, "na"],
  ["r2", { longSentences: 25 }, "good"],
  ["r2", { longSentences: 26 }, "ok"],
  ["r2", { longSentences: 30 }, "ok"],
  ["r2", { longSentences: 31 }, "bad"],
  ["r2", { sentences: 0 }, "na"],
  ["r3", { passiveSentences: 10 }, "good"],
  ["r3", { passiveSentences: 11 }, "ok"],
  ["r3", { passiveSentences: 15 }, "ok"],
  ["r3", { passiveSentences: 16 }, "bad"],
  ["r3", { passiveSentences: null }, "na"],
  ["r4", { transitionSentences: 30 }, "good"],
  ["r4", { transitionSentences: 29 }, "ok"],
  ["r4", { transitionSentences: 20 }, "ok"],
  ["r4", { transitionSentences: 19 }, "bad"],
  ["r4", { transitionSentences: null }, "na"],
  ["r5", { sameStart: 2 }, "good"],
  ["r5", { sameStart: 3 }, "bad"],
  ["r5", { sentences: 0 }, "na"],
])("%s with %j is %s", (id, members, status) => {
  expect(readingChecks(factsWith("reading", members)).find((check) => check.id === id)?.status).toBe(status);
});

it("r4 does not look at texts of fewer than 200 words, the others at none of fewer than 50", () => {
  const statusOf = (id: string, members: object) =>
    readingChecks({ ...GOOD, ...members }).find((check) => check.id === id)?.status;
  expect([statusOf("r4", { words: 199 }), statusOf("r4", { words: 200 })]).toEqual(["na", "good"]);
  for (const id of ["r1", "r2", "r3", "r5"]) {
    expect([id, statusOf(id, { words: 49 }), statusOf(id, { words: 50 })]).toEqual([id, "na", "good"]);
  }
});
