import { z } from "zod";

const OPERATORS = [
  "eq",
  "neq",
  "in",
  "not_in",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "empty",
  "not_empty",
] as const;

const Scalar = z.union([z.string().max(1_000), z.number(), z.boolean()]);

export const Comparison = z.strictObject({
  field: z.string().max(40).meta({ description: "Key of an earlier field" }),
  op: z.enum(OPERATORS),
  value: z
    .union([Scalar, z.array(Scalar).max(100)])
    .optional()
    .meta({ description: "A list for in and not_in; omitted for empty and not_empty" }),
});
export type Comparison = z.output<typeof Comparison>;

/** When a field is visible or required: comparisons with earlier answers, combined by all, any and not. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

export const Condition: z.ZodType<Condition, Condition> = z.union([
  Comparison,
  z.strictObject({
    get all(): z.ZodType<Condition[], Condition[]> {
      return z.array(Condition).min(1).max(20);
    },
  }),
  z.strictObject({
    get any(): z.ZodType<Condition[], Condition[]> {
      return z.array(Condition).min(1).max(20);
    },
  }),
  z.strictObject({
    get not(): z.ZodType<Condition, Condition> {
      return Condition;
    },
  }),
]);
