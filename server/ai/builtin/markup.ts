/**
 * Hides markup in a paragraph from what looks for sentences and words: tags, link targets, images, code, addresses and
 * entities hold full stops, question marks and semicolons that end nothing. Each becomes a run of invisible format
 * characters, which segmentation passes over (Unicode UAX 29, rule SB5).
 */
export function maskMarkup(source: string): { text: string; unmask: (text: string) => string } {
  const hidden: string[] = [];
  const text = source.replaceAll(FORMAT, "").replaceAll(MARKUP, (found) => {
    hidden.push(found);
    return `\u2060${digits(hidden.length - 1)}\u2060`;
  });
  const unmask = (masked: string): string =>
    masked.replaceAll(MASK, (_, code: string) => hidden[numberOf(code)] ?? "");
  return { text, unmask };
}

/** A text without what stands for hidden markup. */
export const withoutMasks = (text: string): string => text.replaceAll(FORMAT, "");

/** True when every tag, bracket and emphasis mark that opens in a text closes in it: it can be moved elsewhere. */
export function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of text.matchAll(/<(\/?)([a-z][a-z0-9]{0,30})\b[^>]{0,2000}>/gi)) {
    if (VOID.test(name) || tag.endsWith("/>")) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return false;
  }
  const count = (mark: string): number => text.split(mark).length - 1;
  return (
    open.length === 0 && count("[") === count("]") && ["**", "__", "`"].every((mark) => count(mark) % 2 === 0)
  );
}

const FORMAT = /[\u2060-\u2064]/g;
const MASK = /\u2060([\u2061-\u2064]+)\u2060/g;
// Bounded, as everything here that repeats: texts come from strangers.
const MARKUP =
  /<\/?[a-z][^>]{0,2000}>|!\[[^\]]{0,500}\]\([^)]{0,2000}\)|(?<=\])\([^)]{0,2000}\)|(?<=\])\[[^\]]{0,500}\]|`[^`]+`|https?:\/\/[^\s<>)]*[^\s<>).,;:!?]|&(?:#\d+|#x[\da-f]+|[a-z]\w*);/gi;
const VOID = /^(?:br|img|wbr|hr|source)$/i;

/** A number in base 4, with four invisible characters for its digits. */
const digits = (value: number): string =>
  Array.from(value.toString(4), (digit) => String.fromCodePoint(0x20_61 + Number(digit))).join("");
const numberOf = (code: string): number =>
  Number.parseInt(Array.from(code, (char) => (char.codePointAt(0) ?? 0x20_61) - 0x20_61).join(""), 4);
