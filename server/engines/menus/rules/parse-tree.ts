import { mapSteps } from "../../../lib/slices.ts";
import { MenuTree } from "../schema/tree.ts";

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * The tree of a canonical text, checked by its schema in steps of one object: parsing 4 MB of JSON at once takes a twentieth of a second.
 */
export function* parseTreeSteps(bytes: Buffer): Generator<undefined, MenuTree> {
  const members = yield* membersOf(bytes);
  const { shape } = MenuTree;
  const listOf = (name: string): readonly Buffer[] => members.get(name) ?? [];
  const [menu] = listOf("menu").map((json) => shape.menu.parse(toValue(json)));
  if (menu === undefined) throw new SyntaxError("The text of a version has no menu.");
  return {
    menu,
    categories: yield* mapSteps(listOf("categories"), (json) =>
      shape.categories.element.parse(toValue(json)),
    ),
    items: yield* mapSteps(listOf("items"), (json) => shape.items.element.parse(toValue(json))),
    modifier_groups: yield* mapSteps(listOf("modifier_groups"), (json) =>
      shape.modifier_groups.element.parse(toValue(json)),
    ),
    modifiers: yield* mapSteps(listOf("modifiers"), (json) => shape.modifiers.element.parse(toValue(json))),
    schedules: yield* mapSteps(listOf("schedules"), (json) => shape.schedules.element.parse(toValue(json))),
    price_levels: yield* mapSteps(listOf("price_levels"), (json) =>
      shape.price_levels.element.parse(toValue(json)),
    ),
  };
}

const toValue = (json: Buffer): unknown => JSON.parse(json.toString("utf8"));

/** The objects of each member of a tree, as JSON; a member that is no list has one. The text has no spaces between its parts. */
function* membersOf(bytes: Buffer): Generator<undefined, Map<string, Buffer[]>> {
  const members = new Map<string, Buffer[]>();
  let index = 1;
  while (bytes[index] === QUOTE) {
    const end = endOfText(bytes, index);
    const objects: Buffer[] = [];
    members.set(bytes.toString("utf8", index + 1, end), objects);
    // Past the quote and the colon.
    index = end + 2;
    const isList = bytes[index] === BRACKET;
    if (isList) index += 1;
    while (bytes[index] === BRACE) {
      const after = endOfObject(bytes, index) + 1;
      objects.push(bytes.subarray(index, after));
      yield;
      // Past a comma in a list.
      index = isList && bytes[after] !== BRACKET_END ? after + 1 : after;
    }
    // Past the end of the list and the comma.
    index += isList ? 2 : 1;
  }
  if (index !== bytes.length) throw new SyntaxError("The text of a version is no tree.");
  return members;
}

function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfText(bytes, index);
    else if (byte === BRACE || byte === BRACKET) depth += 1;
    else if (byte === BRACE_END || byte === BRACKET_END) {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  throw new SyntaxError("The text of a version ends within an object.");
}

/** Index of the quote that ends the text which starts at an index. */
function endOfText(bytes: Buffer, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) return index;
    if (byte === BACKSLASH) index += 1;
  }
  throw new SyntaxError("The text of a version ends within a text.");
}
