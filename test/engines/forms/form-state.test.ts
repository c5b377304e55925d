import { describe, expect, it } from "vitest";

import { availability, mayTake } from "../../../server/engines/forms/rules/form-state.ts";
import type { FormAction } from "../../../server/engines/forms/rules/form-state.ts";
import { DEFAULT_FORM_SETTINGS, FormStatus } from "../../../server/engines/forms/schema.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const AT = "2026-06-01T09:00:00.000Z";

describe("states of a form", () => {
  it.each<[FormAction, string[]]>([
    ["publish", ["draft", "published", "paused", "closed"]],
    ["pause", ["published"]],
    ["resume", ["paused"]],
    ["close", ["published", "paused"]],
    ["archive", ["draft", "published", "paused", "closed"]],
  ])("%s from %j alone", (action, from) => {
    expect(FormStatus.options.filter((status) => mayTake(action, status))).toEqual(from);
  });

  it.each([
    ["published", {}, 0, "open"],
    ["draft", {}, 0, "not_published"],
    ["archived", {}, 0, "not_published"],
    ["paused", {}, 0, "paused"],
    ["closed", {}, 0, "form_closed"],
    ["published", { closes_at: AT }, 0, "form_closed"],
    ["published", { closes_at: "2026-06-01T09:00:00.001Z" }, 0, "open"],
    ["published", { opens_at: AT }, 0, "open"],
    ["published", { opens_at: "2026-06-01T09:00:00.001Z" }, 0, "not_open_yet"],
    ["published", { max_submissions: 3 }, 2, "open"],
    ["published", { max_submissions: 3 }, 3, "form_closed"],
  ] as const)("%s with %j and %i taken is %s", (status, more, submissions, expected) => {
    const state = availability({ status, submissions }, { ...DEFAULT_FORM_SETTINGS, ...more }, NOW);
    expect(state.open ? "open" : state.code).toBe(expected);
  });
});
