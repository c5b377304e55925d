import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fieldsOf, holds, isEmpty, sizeOf } from "../../../server/engines/forms/rules/condition.ts";
import type { Condition } from "../../../server/engines/forms/schema/condition.ts";
import { Condition as Schema } from "../../../server/engines/forms/schema/condition.ts";

const guests20: Condition = { field: "guests", op: "gte", value: 20 };

describe("A26: an empty operand makes every comparison false", () => {
  it.each<[string, Condition, object, boolean]>([
    ["guests≥20 on {}", guests20, {}, false],
    ["not(guests≥20) on {}", { not: guests20 }, {}, true],
    ["guests≠20 on {}", { field: "guests", op: "neq", value: 20 }, {}, false],
    [
      "diet contains vegan",
      { field: "diet", op: "contains", value: "vegan" },
      { diet: ["vegan", "halal"] },
      true,
    ],
  ])("%s", (_, condition, answers, expected) => expect(holds(condition, { ...answers })).toBe(expected));
});

describe("conditions", () => {
  it.each<[Condition, boolean]>([
    [{ field: "n", op: "eq", value: 5 }, true],
    [{ field: "n", op: "eq", value: "5" }, false],
    [{ field: "n", op: "neq", value: 6 }, true],
    [{ field: "n", op: "neq" }, false],
    [{ field: "n", op: "in", value: [1, 5] }, true],
    [{ field: "n", op: "in", value: [] }, false],
    [{ field: "n", op: "not_in", value: [1, 2] }, true],
    [{ field: "gone", op: "not_in", value: [1, 2] }, false],
    [{ field: "n", op: "gt", value: 4 }, true],
    [{ field: "n", op: "lt", value: "9" }, false],
    [{ field: "n", op: "lte", value: 5 }, true],
    [{ field: "day", op: "gte", value: "2026-06-01" }, true],
    [{ field: "day", op: "lt", value: "2026-06-01" }, false],
    [{ field: "text", op: "contains", value: "RYE" }, true],
    [{ field: "many", op: "contains", value: "vega" }, false],
    [{ field: "many", op: "in", value: ["halal"] }, true],
    [{ field: "many", op: "eq", value: ["vegan", "halal"] }, true],
    [{ field: "none", op: "empty" }, true],
    [{ field: "none", op: "not_empty" }, false],
    [{ field: "no", op: "not_empty" }, true],
    [{ field: "constructor", op: "not_empty" }, false],
    [{ all: [{ field: "n", op: "eq", value: 5 }, { any: [{ field: "none", op: "empty" }] }] }, true],
    [{ any: [{ field: "n", op: "eq", value: 1 }, { not: { field: "n", op: "eq", value: 5 } }] }, false],
  ])("%j is %s", (condition, expected) => {
    expect(Schema.parse(condition)).toEqual(condition);
    const answers = {
      n: 5,
      day: "2026-06-19",
      text: "Sour rye",
      many: ["vegan", "halal"],
      none: [],
      no: false,
    };
    expect(holds(condition, answers)).toBe(expected);
  });

  it("find a text wherever the built-in search does", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "İ"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (answer, value) => {
        const expected = answer.toLowerCase().includes(value.toLowerCase());
        expect(holds({ field: "text", op: "contains", value }, { text: answer })).toBe(expected);
      }),
    );
  });

  it("names its fields and how large it is", () => {
    const condition: Condition = { all: [guests20, { not: { field: "diet", op: "empty" } }] };
    expect(fieldsOf(condition)).toEqual(["guests", "diet"]);
    expect(sizeOf(condition)).toEqual({ nodes: 4, depth: 3 });
    expect([undefined, null, "", []].every(isEmpty)).toBe(true);
    expect([0, false, "0"].some(isEmpty)).toBe(false);
  });
});
