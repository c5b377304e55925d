/** Anything that is made of its own kind. */
interface Nested<T> {
  readonly sub_ingredients?: readonly T[] | undefined;
}

/** A line with its place: its level from 1 on, and the lines that contain it, the outermost first. */
export interface PlacedLine<T> {
  readonly line: T;
  readonly level: number;
  readonly inside: readonly T[];
  /** Indexes that lead to it, for naming it in an error. */
  readonly path: readonly (string | number)[];
}

/** Every ingredient of a recipe, each before those inside it. */
export function* walkLines<T extends Nested<T>>(
  lines: readonly T[],
  inside: readonly T[] = [],
  path: readonly (string | number)[] = [],
): Generator<PlacedLine<T>> {
  for (const [index, line] of lines.entries()) {
    const here = [...path, index];
    yield { line, level: inside.length + 1, inside, path: here };
    yield* walkLines(line.sub_ingredients ?? [], [...inside, line], [...here, "sub_ingredients"]);
  }
}

/** Ids of library ingredients that lines name themselves, at any level, each once. */
export const namedIn = <T extends Nested<T> & { readonly ingredient_id?: string | null | undefined }>(
  lines: readonly T[],
): string[] => [...new Set([...walkLines(lines)].flatMap(({ line }) => line.ingredient_id ?? []))];
