import { describe, expect, it } from "vitest";

import { formFaults, publishFaults } from "../../../server/engines/forms/rules/check-form.ts";
import { DEFAULT_FORM_SETTINGS } from "../../../server/engines/forms/schema.ts";
import type { FormContent } from "../../../server/engines/forms/schema.ts";
import type { Condition } from "../../../server/engines/forms/schema/condition.ts";
import { content, field, options } from "./make.ts";

const deep = (levels: number): Condition =>
  levels === 0 ? { field: "a", op: "empty" } : { not: deep(levels - 1) };
const settings = (more: Partial<FormContent["settings"]>) => ({
  settings: { ...DEFAULT_FORM_SETTINGS, ...more },
});
const on = (key: string): Condition => ({ field: key, op: "not_empty" });

describe("what contradicts itself in a form", () => {
  it.each<[string, Partial<FormContent>, string]>([
    ["a key twice", { fields: [field("a"), field("a")] }, "fields/1/key"],
    ["a condition on itself", { fields: [field("a", { visible_when: on("a") })] }, "fields/0/visible_when"],
    [
      "a condition on a later field",
      { fields: [field("a", { required_when: on("b") }), field("b")] },
      "fields/0/required_when",
    ],
    [
      "a condition that is too deep",
      { fields: [field("a"), field("b", { visible_when: deep(6) })] },
      "fields/1/visible_when",
    ],
    ["a choice without options", { fields: [field("a", { type: "radio" })] }, "fields/0/options"],
    [
      "an option twice",
      { fields: [field("a", { type: "select", options: options("x", "x") })] },
      "fields/0/options/1/value",
    ],
    ["bounds the wrong way", { fields: [field("a", { type: "number", min: 2, max: 1 })] }, "fields/0/min"],
    [
      "a date bound of a number",
      { fields: [field("a", { type: "number", min: "2026-01-01" })] },
      "fields/0/min",
    ],
    [
      "lengths the wrong way",
      { fields: [field("a", { min_length: 3, max_length: 2 })] },
      "fields/0/min_length",
    ],
    [
      "a step without a field of the form",
      { fields: [field("a")], steps: [{ key: "s", title: "S", fields: ["b"] }] },
      "steps/0/fields/0",
    ],
    [
      "fields that no step names",
      { fields: [field("a"), field("b")], steps: [{ key: "s", title: "S", fields: ["a"] }] },
      "steps",
    ],
    [
      "a step that asks about its own field",
      { fields: [field("a")], steps: [{ key: "s", title: "S", fields: ["a"], visible_when: on("a") }] },
      "steps/0/visible_when",
    ],
    [
      "a contact that is no e-mail field",
      { fields: [field("a")], contact: { name: null, email: "a", phone: null } },
      "contact/email",
    ],
    [
      "an answer to nobody",
      { autoresponder: { enabled: true, to_field: null, message: "", attach_copy: false } },
      "autoresponder/to_field",
    ],
    [
      "a mapping to nowhere",
      { quote: { enabled: true, mapping: { date: "x" }, sla_hours: 1, currency: "GBP" } },
      "quote/mapping/date",
    ],
    [
      "a notification on nothing",
      { notifications: [{ to: ["a@b.example"], title: "", when: on("x") }] },
      "notifications/0/when",
    ],
    [
      "a honeypot that is a field",
      { fields: [field("website")], ...settings({ honeypot_field: "website" }) },
      "settings/honeypot_field",
    ],
    ["one per address without one", settings({ one_per: "email" }), "settings/one_per"],
    [
      "an end before the beginning",
      settings({ opens_at: "2026-06-02T00:00:00.000Z", closes_at: "2026-06-01T00:00:00.000Z" }),
      "settings/closes_at",
    ],
    [
      "quote requests of a form that keeps nothing",
      {
        quote: { enabled: true, mapping: {}, sla_hours: 1, currency: "GBP" },
        ...settings({ storage: "none" }),
      },
      "settings/storage",
    ],
    [
      "files that nobody could download",
      { fields: [field("cv", { type: "file" })], ...settings({ storage: "metadata" }) },
      "settings/storage",
    ],
    [
      "a tool without its name",
      { agent: { enabled: true, tool_name: null, tool_description: "x", autosubmit: false } },
      "agent",
    ],
  ])("%s", (_, more, place) => {
    expect(formFaults(content(more)).map(({ path }) => path.join("/"))).toContain(place);
  });

  it("finds none in a sound one; one without questions is not published", () => {
    expect(formFaults(content({ fields: [field("a"), field("b", { visible_when: on("a") })] }))).toEqual([]);
    expect(publishFaults(content({ fields: [field("a", { type: "heading" })] }))).toHaveLength(1);
    expect(publishFaults(content({ fields: [field("a")] }))).toEqual([]);
  });
});
