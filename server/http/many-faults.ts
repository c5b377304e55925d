import { z } from "zod";

import type { Issue } from "../core/issues.ts";
import { LIMITS } from "../core/limits.ts";
import { giveWay } from "../lib/slices.ts";

interface Part {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  /** What is wrong here is enough to refuse the body. */
  readonly isLast?: boolean;
}

/** Values that are checked in one piece. */
const PIECE_VALUES = 200;

/**
 * The first invalid places of a body that has more of them than one answer lists, or a list that is too long, found with pauses; null where
 * there are few. zod itself goes through all of a body in one piece, and an invalid value costs it some fifty times as much as a valid
 * one: 100,000 of them half a second. `note` gets the milliseconds that it took.
 */
export async function findManyFaults(
  schema: z.core.$ZodType,
  value: unknown,
  key: string,
  note: (cpuMs: number) => void,
): Promise<Issue[] | null> {
  const issues: Issue[] = [];
  let since = performance.now();
  try {
    for (const { path, isLast, ...part } of partsOf(schema, value, [])) {
      const turn = giveWay(key);
      if (turn !== undefined) {
        note(performance.now() - since);
        await turn;
        since = performance.now();
      }
      const result = z.core.safeParse(part.schema, part.value);
      if (result.success) continue;
      issues.push(...result.error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
      if (issues.length > LIMITS.fieldErrors || isLast === true) return issues;
    }
    return null;
  } finally {
    note(performance.now() - since);
  }
}

/** A value in parts of few values each. What is wrong with a list or an object of many is left out. */
function* partsOf(schema: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): Generator<Part> {
  const inner = unwrap(schema, value);
  if (valuesIn(value) <= PIECE_VALUES || typeof value !== "object" || value === null)
    yield { schema, value, path };
  else if (Array.isArray(value)) {
    if (!(inner instanceof z.core.$ZodArray)) return;
    const limit = inner._zod.def.checks?.find((each) => each instanceof z.core.$ZodCheckMaxLength);
    if (limit !== undefined && value.length > limit._zod.def.maximum)
      yield { schema: z.array(z.unknown()).check(limit), value, path, isLast: true };
    for (const [index, item] of value.entries())
      yield* partsOf(inner._zod.def.element, item, [...path, index]);
  } else {
    for (const [name, member] of Object.entries(value)) {
      const own = memberOf(inner, name);
      if (own !== undefined) yield* partsOf(own, member, [...path, name]);
    }
  }
}

function memberOf(schema: z.core.$ZodType, name: string): z.core.$ZodType | undefined {
  if (schema instanceof z.core.$ZodRecord) return schema._zod.def.valueType;
  const shape = schema instanceof z.core.$ZodObject ? schema._zod.def.shape : {};
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

/** The number of values in a value, counted up to one more than a piece has. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    values += valuesIn(member);
    if (values > PIECE_VALUES) break;
  }
  return values;
}

/** The schema of a value, without what lets it be null or left out, and without its other forms. */
function unwrap(schema: z.core.$ZodType, value: unknown): z.core.$ZodType {
  const next = stepInto(schema, value);
  return next === undefined ? schema : unwrap(next, value);
}

function stepInto(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault
  )
    return schema._zod.def.innerType;
  if (schema instanceof z.core.$ZodLazy) return schema._zod.innerType;
  if (schema instanceof z.core.$ZodPipe) return schema._zod.def.in;
  if (schema instanceof z.core.$ZodDiscriminatedUnion) {
    const { discriminator, options } = schema._zod.def;
    const kind = new Map(Object.entries(value ?? {})).get(discriminator);
    return options.find((option) => option._zod.propValues?.[discriminator]?.has(kind));
  }
  return undefined;
}
