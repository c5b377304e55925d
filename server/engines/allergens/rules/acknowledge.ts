import type { Acknowledgement, IngredientLine } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";
import { widerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";

/** True when an acknowledgement records that the ingredient does not contain what its name was read as. */
export const acknowledges = (
  { acknowledgements = [] }: Pick<IngredientLine, "acknowledgements">,
  reading: string,
): boolean =>
  acknowledgements.some(
    ({ reading: answered }) => widerOf(reading).has(answered) || ORIGIN_OF[answered] === reading,
  );

/** An acknowledgement of an allergen also covers the animal that it comes from. */
const ORIGIN_OF: Readonly<Record<string, string>> = { milk: "dairy", egg: "egg", fish: "fish" };

interface Stamp {
  readonly by: string | null;
  readonly at: string;
}

/** An ingredient in a request, in a recipe or in the library. */
interface Acknowledging {
  readonly name?: string | undefined;
  readonly acknowledgements?: Acknowledgement[] | undefined;
  readonly sub_ingredients?: readonly Acknowledging[] | undefined;
}

/**
 * Records who acknowledged what, and when. One that was there before under the same name, reading and reason keeps its
 * own record.
 */
export function stampAcknowledgements<T extends Acknowledging & { sub_ingredients?: T[] | undefined }>(
  inputs: readonly T[],
  before: readonly Acknowledging[],
  stamp: Stamp,
): T[] {
  const known = new Map(
    [...walkLines(before)].flatMap(({ line }) =>
      (line.acknowledgements ?? []).map((each) => [keyOf(line.name ?? "", each), each] as const),
    ),
  );
  const stampLine = (line: T): T => ({
    ...line,
    ...(line.acknowledgements === undefined
      ? {}
      : {
          acknowledgements: line.acknowledgements.map(
            (each) => known.get(keyOf(line.name ?? "", each)) ?? stampOne(each, stamp),
          ),
        }),
    ...(line.sub_ingredients === undefined ? {} : { sub_ingredients: line.sub_ingredients.map(stampLine) }),
  });
  return inputs.map(stampLine);
}

/**
 * The answers that a request has or, where it changes the name without any, none: they were about the name before. Undefined: those that
 * there are stay.
 */
export const answersAfter = (
  { name, acknowledgements }: Pick<Acknowledging, "name" | "acknowledgements">,
  before: Pick<Acknowledging, "name" | "acknowledgements"> | null,
): Acknowledgement[] | undefined =>
  acknowledgements ??
  (name === undefined || name === before?.name || before?.acknowledgements === undefined ? undefined : []);

/** The same for the title of a product; members that a request leaves out stay left out. */
export function stampTitle<
  T extends { title?: string | undefined; acknowledgements?: Acknowledgement[] | undefined },
>(body: T, before: Pick<Product, "title" | "acknowledgements"> | null, stamp: Stamp): T {
  const known = before === null ? null : { name: before.title, acknowledgements: before.acknowledgements };
  const name = body.title ?? known?.name;
  const acknowledgements = answersAfter({ name, acknowledgements: body.acknowledgements }, known);
  if (acknowledgements === undefined) return body;
  const [own] = stampAcknowledgements<Acknowledging & { sub_ingredients?: never }>(
    [{ name, acknowledgements }],
    known === null ? [] : [known],
    stamp,
  );
  return { ...body, acknowledgements: own?.acknowledgements };
}

const keyOf = (name: string, { reading, reason }: Acknowledgement): string =>
  `${name}\0${reading}\0${reason}`;

const stampOne = ({ reading, reason, by }: Acknowledgement, stamp: Stamp): Acknowledgement => ({
  reading,
  reason,
  by: by ?? stamp.by,
  at: stamp.at,
});
