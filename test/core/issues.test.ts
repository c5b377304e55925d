import { expect, it } from "vitest";
import { z } from "zod";

import { describeIssue } from "../../server/core/issues.ts";

const issuesOf = (schema: z.ZodType, value: unknown): string[] => {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map((issue) => describeIssue(issue, value));
};

it.each([
  ["a long text", z.string().max(80), "x".repeat(81), "Must have at most 80 characters."],
  ["an empty text", z.string().min(1), "", "Must have at least 1 character."],
  ["a long list", z.array(z.int()).max(2), [1, 2, 3], "Must have at most 2 items."],
  ["an empty list", z.array(z.int()).min(1), [], "Must have at least 1 item."],
  ["a large number", z.int().max(100), 101, "Must be at most 100."],
  ["a negative number", z.int().min(0), -1, "Must be at least 0."],
  ["words of a schema", z.string().min(1, "Enter a name."), "", "Enter a name."],
  ["no day", z.iso.date(), "2027-02-30", "Expected a date such as 2026-11-21."],
  ["another type", z.string(), 1, "Expected a string, received a number."],
] as const)("describes %s in a sentence", (_, schema, value, sentence) => {
  expect(issuesOf(schema, value)).toEqual([sentence]);
});
