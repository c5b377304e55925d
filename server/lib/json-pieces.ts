import { giveWay } from "./slices.ts";

/** Levels of a document down to the items of a menu: the groups of Toast contain each other. */
const LEVELS = 8;

/** The JSON text of a document in pieces, none of which is much longer than the text of an item of a menu. */
export function* jsonPieces(value: unknown, levels = LEVELS): Generator<string, void, undefined> {
  if (levels === 0 || typeof value !== "object" || value === null) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  const isList = Array.isArray(value);
  yield isList ? "[" : "{";
  let before = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined && !isList) continue;
    yield isList ? before : `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(member, levels - 1);
    before = ",";
  }
  yield isList ? "]" : "}";
}

/** The JSON text of a list in pieces of one value each. */
export function* listPieces(values: readonly unknown[]): Generator<string, void, undefined> {
  yield "[";
  for (const [index, value] of values.entries()) yield `${index > 0 ? "," : ""}${JSON.stringify(value)}`;
  yield "]";
}

/** Pieces of JSON as one text, made with pauses; `key`: for whom. */
export async function joinPieces(source: Iterable<string>, key: string): Promise<string> {
  const pieces: string[] = [];
  for (const piece of source) {
    pieces.push(piece);
    const turn = giveWay(key);
    if (turn !== undefined) await turn;
  }
  return pieces.join("");
}
