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
