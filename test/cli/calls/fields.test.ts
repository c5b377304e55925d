import { describe, expect, it } from "vitest";
import { z } from "zod";

import { toBody, toQuery } from "../../../cli/calls/fields.ts";
import type { FieldText } from "../../../cli/calls/fields.ts";
import { inputSchema } from "../../../server/openapi/manifest.ts";

const Body = z.strictObject({
  postcode: z.string(),
  basketTotal: z.int(),
  ratio: z.number().optional(),
  active: z.boolean().optional(),
  note: z.string().nullable().optional(),
  tags: z.array(z.string()).optional(),
  weekdays: z.array(z.int()).optional(),
  address: z.object({ line1: z.string(), number: z.int().optional() }).optional(),
  when: z
    .union([z.object({ kind: z.literal("asap") }), z.object({ kind: z.literal("at"), hour: z.int() })])
    .optional(),
  codes: z.record(z.string(), z.int()).optional(),
  level: z.enum(["1", "2"]).optional(),
});
const schema = inputSchema(Body);

const typed = (pairs: Record<string, string>): FieldText[] =>
  Object.entries(pairs).map(([name, value]) => ({ name, value, raw: false }));

describe("fields of the command line", () => {
  it.each([
    ["text stays text, though it looks like a number", { postcode: "12345" }, { postcode: "12345" }],
    ["text stays text, though it looks like a boolean", { postcode: "true" }, { postcode: "true" }],
    ["an integer", { basketTotal: "2500" }, { basketTotal: 2500 }],
    ["a negative number", { ratio: "-0.5" }, { ratio: -0.5 }],
    ["a boolean", { active: "false" }, { active: false }],
    ["null where it is allowed", { note: "null" }, { note: null }],
    ["null as text where it is not", { postcode: "null" }, { postcode: "null" }],
    ["a value that does not fit, for the server to refuse", { basketTotal: "lots" }, { basketTotal: "lots" }],
    [
      "a member of an object",
      { "address.line1": "10", "address.number": "10" },
      { address: { line1: "10", number: 10 } },
    ],
    [
      "a member of one of several objects",
      { "when.kind": "at", "when.hour": "9" },
      { when: { kind: "at", hour: 9 } },
    ],
    ["a member of a record", { "codes.a": "1" }, { codes: { a: 1 } }],
    ["a choice that looks like a number", { level: "1" }, { level: "1" }],
    ["a list as JSON", { tags: '["a","b"]' }, { tags: ["a", "b"] }],
    ["a member nobody knows, by its looks", { other: "1", more: "x" }, { other: 1, more: "x" }],
    [
      "a name that means something to JavaScript",
      { __proto__x: "1", constructor: "x" },
      { __proto__x: 1, constructor: "x" },
    ],
  ])("%s", (_, given, expected) => {
    expect(JSON.parse(JSON.stringify(toBody(typed(given), schema)))).toEqual(expected);
  });

  it("collects the items of a list with their type", () => {
    const fields = [
      { name: "weekdays[]", value: "1", raw: false },
      { name: "weekdays[]", value: "2", raw: false },
      { name: "tags[]", value: "3", raw: false },
    ];
    expect(toBody(fields, schema)).toEqual({ weekdays: [1, 2], tags: ["3"] });
  });

  it("takes a raw field as it is", () => {
    expect(toBody([{ name: "basketTotal", value: "2500", raw: true }], schema)).toEqual({
      basketTotal: "2500",
    });
  });

  it("does not reach the prototype of objects", () => {
    const body = toBody(typed({ "__proto__.polluted": "1" }), null);
    expect(JSON.stringify(body)).toBe('{"__proto__":{"polluted":1}}');
    expect({}).not.toHaveProperty("polluted");
  });

  it.each(["a.b.c", "a[b]", "a[][]", ".a", "a."])("refuses %s, which is nested too deeply", (name) => {
    expect(() => toBody(typed({ [name]: "1" }), schema)).toThrow(/nested too deeply/);
  });

  it("refuses nesting in a query", () => {
    expect(() => toQuery(typed({ "a.b": "1" }))).toThrow(/nested/);
    expect(toQuery(typed({ a: "1", b: "x y" }))).toEqual({ a: "1", b: "x y" });
  });
});
