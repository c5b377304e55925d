import { expect, it } from "vitest";
import { z } from "zod";

import { LIMITS } from "../../server/core/limits.ts";
import { check, refuseManyFaults } from "../../server/http/body.ts";
import { Problem } from "../../server/lib/errors.ts";
import { namespaces } from "../../server/registry.ts";

// zod goes through all of a body: an invalid one of 100,000 values held the event loop for half a second to a second, at every route with a list.

const VALUES = 5_000;
const DEPTH_MAX = 7;

type Schema = z.core.$ZodType;
/** A list in a schema: its name, and a value that has this list at its place. */
type List = readonly [name: string, around: (items: unknown) => unknown];

function* listsIn(schema: Schema, depth = 0): Generator<List> {
  if (depth > DEPTH_MAX) return;
  const below = (part: Schema) => listsIn(part, depth + 1);
  if (schema instanceof z.core.$ZodLazy) yield* below(schema._zod.innerType);
  else if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault
  )
    yield* below(schema._zod.def.innerType);
  else if (schema instanceof z.core.$ZodPipe) yield* below(schema._zod.def.in);
  else if (schema instanceof z.core.$ZodDiscriminatedUnion)
    for (const option of schema._zod.def.options) yield* below(option);
  else if (schema instanceof z.core.$ZodArray) {
    yield ["[]", (items) => items];
    for (const [name, around] of below(schema._zod.def.element))
      yield [`[]${name}`, (items) => [around(items)]];
  } else if (schema instanceof z.core.$ZodObject) {
    const { shape } = schema._zod.def;
    const kinds = Object.entries(shape).flatMap(([name, member]) =>
      member instanceof z.core.$ZodLiteral ? [[name, member._zod.def.values[0]] as const] : [],
    );
    for (const [member, part] of Object.entries(shape))
      for (const [name, around] of below(part))
        yield [`.${member}${name}`, (items) => ({ ...Object.fromEntries(kinds), [member]: around(items) })];
  }
}

const lists = namespaces
  .flatMap(({ routes }) => [...routes])
  .flatMap(({ id, body }) =>
    body === null ? [] : [...listsIn(body)].map(([name, around]) => ({ id: `${id}${name}`, body, around })),
  );

const unnoted = (): void => undefined;

it.each([
  ["numbers", 1],
  ["empty objects", {}],
])("no list of a body is read to its end where it has thousands of %s that are invalid", async (_, item) => {
  expect(lists.length).toBeGreaterThan(300);
  const readToTheEnd: string[] = [];
  for (const { id, body, around } of lists) {
    const value = around(Array.from({ length: VALUES }, () => item));
    const refusal = await refuseManyFaults(body, value, "test", unnoted).catch((error: unknown) => error);
    if (!(refusal instanceof Problem)) readToTheEnd.push(id);
  }
  expect(readToTheEnd).toEqual([]);
});

it("says what is wrong as a check of all of it does", async () => {
  const Body = z.strictObject({
    rows: z.array(
      z.strictObject({ name: z.string(), codes: z.array(z.string().max(3)).max(500).optional() }),
    ),
  });
  const refusal = async (value: unknown): Promise<unknown> =>
    refuseManyFaults(Body, value, "test", unnoted).catch((error: unknown) => error);
  const rows = Array.from({ length: 300 }, (_, n) => ({ nam: "Rye", codes: [`long-${n}`, "rye"] }));
  const quick = await refusal({ rows });
  const all = (() => {
    try {
      return check(Body, { rows }, "body");
    } catch (error) {
      return error;
    }
  })();
  if (!(quick instanceof Problem && all instanceof Problem)) throw new Error("Both are refused.");
  expect(quick.options.errors).toEqual(all.options.errors);
  expect(quick.options.errors).toHaveLength(LIMITS.fieldErrors);
  expect(quick.detail).toBe("More than 100 fields are invalid. The first 100 are listed.");

  const codes = Array.from({ length: 501 }, () => "rye");
  expect(await refusal({ rows: [{ name: "Rye", codes }] })).toMatchObject({
    detail: "1 field is invalid.",
    options: {
      errors: [{ pointer: "#/rows/0/codes", detail: "Must have at most 500 items." }],
    },
  });
});

it("leaves a large body with few invalid places, and a valid one, to the check of all of it", async () => {
  const Body = z.array(z.strictObject({ name: z.string() })).max(5_000);
  const rows = Array.from({ length: 5_000 }, (_, n) => ({ name: n % 60 === 0 ? n : "Rye" }));
  expect(await refuseManyFaults(Body, rows, "test", unnoted)).toBeUndefined();
  expect(
    await refuseManyFaults(
      Body,
      rows.filter((_, n) => n % 60 !== 0),
      "test",
      unnoted,
    ),
  ).toBeUndefined();
});
