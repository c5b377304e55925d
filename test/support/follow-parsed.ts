import { collectGarbage } from "./collect-garbage.ts";

/** Values that were parsed of large texts, and how many of them were in memory together. */
export interface Parsed {
  readonly all: number;
  /** The most that any of the looks found. */
  readonly most: number;
}

/** Follows what `JSON.parse` returns for texts of at least so many characters, until the end. It looks each time that `every` of them were parsed. */
export function followParsed(charsMin: number, every: number): { end(): Parsed } {
  const parse = JSON.parse;
  const values: WeakRef<object>[] = [];
  let most = 0;
  const look = (): void => {
    collectGarbage();
    most = Math.max(most, values.filter((value) => value.deref() !== undefined).length);
  };
  JSON.parse = (text, reviver) => {
    const value: unknown = parse(text, reviver);
    if (text.length < charsMin || typeof value !== "object" || value === null) return value;
    // What a reference was made of is kept until the end of the turn.
    if (values.push(new WeakRef(value)) % every === 0) setImmediate(look);
    return value;
  };
  return {
    end() {
      JSON.parse = parse;
      return { all: values.length, most };
    },
  };
}
