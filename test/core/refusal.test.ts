import { expect, it } from "vitest";

import { ERRORS } from "../../server/lib/errors.ts";
import type { ErrorType } from "../../server/lib/errors.ts";
import { wordsOf } from "../../server/core/refusal.ts";

const say = (type: ErrorType, waitSeconds: number | null = null, isPost = true) =>
  wordsOf({ type, waitSeconds, isPost, detail: "As programs are told.", requestId: "req_1", locale: "en" });

it.each([
  [1, "Please try again in 1 second."],
  [47, "Please try again in 47 seconds."],
  [119, "Please try again in 119 seconds."],
  [120, "Please try again in 2 minutes."],
  [121, "Please try again in 3 minutes."],
  [7_199, "Please try again in 120 minutes."],
  [7_200, "Please try again in 2 hours."],
  [86_400, "Please try again in 24 hours."],
  [null, "Please try again later."],
])("after %s seconds: %s", (wait, told) => {
  for (const type of ["too_many_requests", "service_unavailable"] as const) {
    expect(say(type, wait).text).toContain(told);
    expect(say(type, wait).text).toContain("Reload this page");
    expect(say(type, wait, false).text).toMatch(new RegExp(`${told.replace(/\.$/, "")}\\.$`));
    expect(say(type, wait, false).text).not.toMatch(/reload/i);
  }
});

it.each(Object.entries(ERRORS))(
  "says %s with its status and its reference, and nothing of APIs",
  (name, known) => {
    const { reference, status, text, title } = say(name as ErrorType);
    expect([status, reference]).toEqual([known.status, `${known.status} ${known.title}, request req_1`]);
    expect([title, text].join(" ")).not.toMatch(/JSON|Content-Type|bytes/i);
  },
);

it("passes on what the refusal itself says of a link or a form", () => {
  for (const type of ["forbidden", "gone", "conflict", "not_found"] as const) {
    expect(say(type).text).toBe("As programs are told.");
    expect(say(type).title).not.toBe(ERRORS[type].title);
  }
});
