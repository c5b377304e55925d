import { codeOf } from "../data/codes.ts";
import { isExempt } from "../data/exemptions.ts";
import type { ModeId } from "../data/modes.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import { emphasises, findNames, labelName } from "./names.ts";
import type { Wording } from "./names.ts";
import { namesIt } from "./read-names.ts";
import { exemptionOf } from "./roll-up.ts";
import { walkLines } from "./walk-lines.ts";

/** A piece of the ingredients list. `code`: it is the name of this allergen. */
export interface Segment {
  readonly text: string;
  readonly emphasised: boolean;
  readonly code?: string;
}

/**
 * The ingredients list in its order, with the name of each allergen at its ingredient: the word itself where
 * the ingredient's name holds it, else in parentheses behind it, as in "spelt (wheat)". Regulation (EU) 1169/2011
 * Art. 21(1)(b); FALCPA 403(w)(1)(B); Food Standards Code 1.2.3-6. Nothing is named that is not in `declared`.
 */
export function writeIngredients(
  lines: readonly IngredientLine[],
  declared: readonly string[],
  wording: Wording,
): Segment[] {
  return joinPlain(writeList(lines, { declared, wording, exemption: null }));
}

interface Writing {
  readonly declared: readonly string[];
  readonly wording: Wording;
  /** Exemption of the ingredient that contains the lines. */
  readonly exemption: string | null;
}

const plain = (text: string): Segment => ({ text, emphasised: false });

const writeList = (lines: readonly IngredientLine[], writing: Writing): Segment[] =>
  lines.flatMap((line, index) => [...(index === 0 ? [] : [plain(", ")]), ...writeLine(line, writing)]);

function writeLine(line: IngredientLine, writing: Writing): Segment[] {
  const { declared, wording } = writing;
  const exemption = line.exemption ?? writing.exemption;
  const codes = namedCodes(line, exemption, wording.mode).filter((code) => declared.includes(code));
  const inside = new Set(
    [...walkLines(line.sub_ingredients)].flatMap((placed) =>
      // An ingredient that is exempt by itself is not named, and cannot stand for the one around it.
      namedCodes(placed.line, exemptionOf(placed) ?? exemption, wording.mode),
    ),
  );
  const places = findNames(line.name, codes, wording.locale).filter((place) => namesIt(line.name, place));
  const missing = codes.filter((code) => !inside.has(code) && !places.some((place) => place.code === code));
  const behind = missing.flatMap((code, index) => [
    plain(index === 0 ? " (" : ", "),
    named(labelName(code, wording), code, wording.mode),
  ]);
  const subs = writeList(line.sub_ingredients, { ...writing, exemption });
  return [
    ...writeName(line.name, places, wording.mode),
    ...behind,
    ...(behind.length === 0 ? [] : [plain(")")]),
    ...(line.percent === null ? [] : [plain(` (${line.percent}%)`)]),
    ...(subs.length === 0 ? [] : [plain(" ("), ...subs, plain(")")]),
  ];
}

function writeName(name: string, places: ReturnType<typeof findNames>, mode: ModeId): Segment[] {
  let from = 0;
  const segments: Segment[] = [];
  for (const { start, end, code } of places) {
    segments.push(plain(name.slice(from, start)), named(name.slice(start, end), code, mode));
    from = end;
  }
  return [...segments, plain(name.slice(from))];
}

const named = (text: string, code: string, mode: ModeId): Segment => ({
  text,
  emphasised: emphasises(mode),
  code,
});

/** Codes that the mode has named at this line: its own, as the mode declares them, without exempt ones. */
function namedCodes(line: IngredientLine, exemption: string | null, mode: ModeId): string[] {
  const codes = line.contains
    .filter((code) => !isExempt(exemption, code, mode))
    .map((code) => codeOf(code).declared_as[mode])
    .filter((code) => code !== null);
  return [...new Set(codes)];
}

/** Neighbouring pieces without a name are one piece; empty ones are none. */
function joinPlain(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (segment.text === "") continue;
    if (last !== undefined && last.code === undefined && segment.code === undefined)
      joined[joined.length - 1] = plain(last.text + segment.text);
    else joined.push(segment);
  }
  return joined;
}
