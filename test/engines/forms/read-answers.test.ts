import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formFaults } from "../../../server/engines/forms/rules/check-form.ts";
import { holds } from "../../../server/engines/forms/rules/condition.ts";
import { readAnswers } from "../../../server/engines/forms/rules/read-answers.ts";
import type { Condition } from "../../../server/engines/forms/schema/condition.ts";
import type { Field } from "../../../server/engines/forms/schema/field.ts";
import { content, field, how, options } from "./make.ts";

const keys = ["a", "b", "c", "d", "e"] as const;
const scalar = fc.oneof(fc.constantFrom("x", "y", ""), fc.integer({ min: 0, max: 3 }), fc.boolean());

/** A condition over the fields before one. */
function conditions(earlier: readonly string[]): fc.Arbitrary<Condition> {
  const comparison: fc.Arbitrary<Condition> = fc.record({
    field: fc.constantFrom(...earlier),
    op: fc.constantFrom("eq", "neq", "in", "gt", "lte", "contains", "empty", "not_empty"),
    value: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
  });
  return fc.oneof(
    comparison,
    fc.record({ not: comparison }),
    fc.record({ any: fc.array(comparison, { minLength: 1, maxLength: 3 }) }),
    fc.record({ all: fc.array(comparison, { minLength: 1, maxLength: 3 }) }),
  );
}

const fieldsFor = fc.tuple(
  ...keys.map((key, at) => {
    const plain = { type: fc.constantFrom("text", "number", "boolean"), required: fc.boolean() };
    if (at === 0)
      return fc.record(plain).map((made): Field => field(key, { type: "text", required: made.required }));
    const earlier = keys.slice(0, at);
    return fc
      .record({ ...plain, when: fc.option(conditions(earlier)), must: fc.option(conditions(earlier)) })
      .map(({ must, required, type, when }): Field =>
        field(key, {
          type: type === "number" ? "number" : type === "boolean" ? "boolean" : "text",
          required,
          ...(when === null ? {} : { visible_when: when }),
          ...(must === null ? {} : { required_when: must }),
        }),
      );
  }),
);
const rawAnswers = fc.dictionary(fc.constantFrom(...keys), scalar);

describe("reading answers", () => {
  it("never keeps what is hidden, and asks only for what is visible (random forms)", async () => {
    await fc.assert(
      fc.asyncProperty(fieldsFor, rawAnswers, async (fields, raw) => {
        const form = content({ fields });
        expect(formFaults(form)).toEqual([]);
        const { data, faults, required, visible } = await readAnswers(form, raw, how);
        for (const [at, one] of fields.entries()) {
          const before = Object.fromEntries(
            fields.slice(0, at).flatMap(({ key }) => (key in data ? [[key, data[key]]] : [])),
          );
          const isVisible = one.visible_when === undefined || holds(one.visible_when, before);
          expect(visible.includes(one.key)).toBe(isVisible);
          if (!isVisible) {
            expect(data).not.toHaveProperty(one.key);
            expect(required).not.toContain(one.key);
            expect(faults.map(({ field: key }) => key)).not.toContain(one.key);
          }
          const isRequired =
            one.required || (one.required_when !== undefined && holds(one.required_when, before));
          expect(required.includes(one.key)).toBe(isVisible && isRequired);
          if (isVisible && isRequired && !(one.key in data)) {
            expect(faults.map(({ field: key }) => key)).toContain(one.key);
          }
        }
        // Reading what was kept again changes nothing.
        expect((await readAnswers(form, data, how)).data).toEqual(data);
      }),
      { numRuns: 500 },
    );
  });

  const form = content({
    fields: [
      field("topic", { type: "select", required: true, options: options("order", "other") }),
      field("number", { required: true, visible_when: { field: "topic", op: "eq", value: "order" } }),
      field("why", { required_when: { field: "topic", op: "eq", value: "other" } }),
      field("agree", { type: "consent", required: true }),
    ],
  });

  it("drops an answer to a hidden field, and does not ask for it", async () => {
    const read = await readAnswers(form, { topic: "other", number: "12", why: "x", agree: true }, how);
    expect(read).toEqual({
      data: { topic: "other", why: "x", agree: true },
      faults: [],
      visible: ["topic", "why", "agree"],
      required: ["topic", "why", "agree"],
    });
  });

  it("names every fault with its code", async () => {
    const { faults } = await readAnswers(form, { topic: "nope", agree: false, extra: 1 }, how);
    expect(faults.map(({ code, field: key }) => [key, code])).toEqual([
      ["topic", "invalid"],
      ["agree", "required"],
      ["extra", "unknown_field"],
    ]);
    expect(
      (await readAnswers(form, { topic: "order", extra: 1 }, { ...how, unknown: "ignore" })).faults,
    ).toHaveLength(2);
  });

  it("asks for nothing of a partial one, and of a step only its own", async () => {
    const stepped = content({
      fields: [
        field("a", { required: true }),
        field("b", { required: true }),
        field("c", { required: true }),
      ],
      steps: [
        { key: "one", title: "One", fields: ["a", "b"] },
        { key: "two", title: "Two", fields: ["c"], visible_when: { field: "a", op: "eq", value: "go" } },
      ],
    });
    expect((await readAnswers(stepped, {}, { ...how, extent: "partial" })).faults).toEqual([]);
    const one = await readAnswers(stepped, { a: "go" }, { ...how, extent: { step: "one" } });
    expect(one.faults.map(({ field: key }) => key)).toEqual(["b"]);
    expect(one.visible).toEqual(["a", "b", "c"]);
    expect((await readAnswers(stepped, { a: "stay", b: "1", c: "2" }, how)).data).toEqual({
      a: "stay",
      b: "1",
    });
  });
});
