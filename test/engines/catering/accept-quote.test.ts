import { describe, expect, it } from "vitest";

import { answerRefusal } from "../../../server/engines/catering/rules/accept-quote.ts";
import type { Quote } from "../../../server/engines/catering/schema.ts";
import { ms, NOW, quote } from "./make.ts";

const codeOf = (more: Partial<Quote>, answer = { v: 1, hash: "h1" }, now = NOW): string | null =>
  answerRefusal(quote(more), answer, ms(now))?.code ?? null;
const acceptance = {
  v: 1,
  hash: "h1",
  name: "Ada",
  email: "a@b.example",
  at: NOW,
  po_number: null,
  cost_centre: null,
  by: "api" as const,
};

describe("answerRefusal (C3)", () => {
  it.each<[string, Partial<Quote>, { v: number; hash: string }, string | null]>([
    ["the version that was sent", {}, { v: 1, hash: "h1" }, null],
    ["one that was looked at", { status: "viewed" }, { v: 1, hash: "h1" }, null],
    ["an older version", { current_version: 2 }, { v: 1, hash: "h1" }, "superseded"],
    ["a version to come", {}, { v: 2, hash: "h1" }, "superseded"],
    ["another hash", {}, { v: 1, hash: "h2" }, "hash_mismatch"],
    ["a draft", { status: "draft", hash: null }, { v: 1, hash: "h1" }, "not_sent"],
    ["a withdrawn one", { status: "withdrawn" }, { v: 1, hash: "h1" }, "withdrawn"],
    ["a declined one", { status: "declined" }, { v: 1, hash: "h1" }, "already_decided"],
    ["an expired one", { status: "expired" }, { v: 1, hash: "h1" }, "expired"],
    ["the same answer again", { status: "converted", acceptance }, { v: 1, hash: "h1" }, null],
    [
      "another answer after that",
      { status: "converted", acceptance },
      { v: 1, hash: "h2" },
      "already_decided",
    ],
  ])("%s", (_, more, answer, expected) => expect(codeOf(more, answer)).toBe(expected));

  it("ends at valid_until, not after it", () => {
    expect(codeOf({}, undefined, "2026-06-12T15:59:59.999Z")).toBeNull();
    expect(codeOf({}, undefined, "2026-06-12T16:00:00.000Z")).toBe("expired");
  });
});
