import { describe, expect, it } from "vitest";

import { NO_WORDS, compileField } from "../../../server/engines/forms/rules/compile-field.ts";
import type { Field } from "../../../server/engines/forms/schema/field.ts";
import { FIELD_TYPES, isDecoration } from "../../../server/engines/forms/schema/field.ts";
import { field, options } from "./make.ts";

const abc = options("a", "b", "c");
const takes = (made: Field, value: unknown): boolean | undefined =>
  compileField(made, NO_WORDS)?.safeParse(value).success;

describe("what an answer must be", () => {
  it.each<[string, Partial<Field>, unknown[], unknown[]]>([
    ["text", { type: "text", min_length: 2, max_length: 4 }, ["ab", "abcd"], ["a", "abcde", 5]],
    ["textarea", { type: "textarea" }, ["x".repeat(10_000)], ["x".repeat(10_001)]],
    ["pattern", { type: "text", pattern_id: "postcode_gb" }, ["E8 3PH", "EC1A1BB"], ["12345"]],
    ["email", { type: "email" }, ["ada@shop.example"], ["ada", "a@b", "a b@c.de"]],
    ["phone", { type: "phone" }, ["+442079460018"], ["020 7946 0018", "+0123456789"]],
    ["url", { type: "url" }, ["https://a.example/x"], ["javascript:alert(1)", "a.example"]],
    ["number", { type: "number", min: 0.5, max: 2, step: 0.5 }, [0.5, 2], [0, 2.5, 0.7, "1", Number.NaN]],
    ["integer", { type: "integer", min: 1 }, [1, 99], [0, 1.5]],
    ["currency", { type: "currency" }, [0, 1250], [12.5, "12.50"]],
    [
      "date",
      { type: "date", min: "2026-06-01", max: "2026-06-30" },
      ["2026-06-01"],
      ["2026-05-31", "2026-07-01", "2026-02-30"],
    ],
    ["time", { type: "time" }, ["09:30"], ["24:00", "9:30"]],
    [
      "datetime",
      { type: "datetime" },
      ["2026-06-19T12:30"],
      ["2026-06-19", "2026-13-01T00:00", "2026-02-30T12:00"],
    ],
    ["select", { type: "select", options: abc }, ["a"], ["d", ["a"]]],
    ["radio", { type: "radio", options: abc }, ["c"], ["d"]],
    [
      "multiselect",
      { type: "multiselect", options: abc, min: 1, max: 2 },
      [["a"], ["a", "b"]],
      [["a", "b", "c"], ["a", "a"], "a"],
    ],
    ["boxes", { type: "checkbox", options: abc }, [["a"]], [true]],
    ["box", { type: "checkbox" }, [true, false], ["on"]],
    ["boolean", { type: "boolean" }, [true], ["yes"]],
    ["rating", { type: "rating" }, [1, 5], [0, 6, 2.5]],
    ["scale", { type: "scale" }, [0, 10], [-1, 11]],
    ["file", { type: "file", max_files: 2 }, [["upl_1", "upl_2"]], [["1", "2", "3"], "upl_1"]],
    [
      "address",
      { type: "address" },
      [{ line1: "1 Mare Street", city: "London", postcode: "E8 3PH" }],
      [{ city: "London" }, "1 Mare Street"],
    ],
    ["name", { type: "name" }, ["Ada Byron"], ["x".repeat(301)]],
    ["consent", { type: "consent" }, [true], ["true"]],
    ["hidden", { type: "hidden" }, ["spring"], [1]],
    ["signature", { type: "signature" }, ["Ada Byron"], [{}]],
  ])("%s", (_, more, good, bad) => {
    for (const value of good) expect([value, takes(field("f", more), value)]).toEqual([value, true]);
    for (const value of bad) expect([value, takes(field("f", more), value)]).toEqual([value, false]);
  });

  it("knows every type; what shows something takes no answer", () => {
    for (const type of FIELD_TYPES) {
      const made = field("f", { type, options: abc });
      expect([type, compileField(made, NO_WORDS) === null]).toEqual([type, isDecoration(made)]);
    }
  });
});
