/**
 * A figure in one form, however it is written: `1,200`, `1.200,00` and `1200` are the same. A single point is a decimal
 * point, a single comma one unless three digits follow.
 */
export function normalNumber(written: string): string {
  if (written.includes(":")) return written.replace(/^0(?=\d)/, "");
  const isGrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written);
  const isContinental = /^\d{1,3}(?:\.\d{3})+,\d+$|^\d{1,3}(?:\.\d{3}){2,}$/.test(written);
  const plain = isGrouped
    ? written.replaceAll(",", "")
    : isContinental
      ? written.replaceAll(".", "").replace(",", ".")
      : written.replace(",", ".");
  const value = Number(plain);
  return Number.isFinite(value) ? String(value) : plain;
}

const SMALL =
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const LARGE: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1000,
  million: 1_000_000,
};

/** Pattern of an English number in words. "One" is left out: it is a pronoun more often than a figure. */
export const NUMBER_WORD = `(?:${TENS.join("|")})(?:-(?:one|${SMALL.slice(0, 8).join("|")}))?|${SMALL.toReversed().join("|")}|${Object.keys(LARGE).join("|")}`;

/** The figure that a word matching `NUMBER_WORD` stands for. */
export function numberOfWord(word: string): string {
  const [first = "", second] = word.toLowerCase().split("-");
  const ten = TENS.indexOf(first);
  if (ten >= 0) return String((ten + 2) * 10 + (second === undefined ? 0 : unitOf(second)));
  return String(LARGE[first] ?? unitOf(first));
}

const unitOf = (word: string): number => (word === "one" ? 1 : SMALL.indexOf(word) + 2);

/** Words that make a figure a measure, each with the form they have in common. */
export const UNITS: ReadonlyMap<string, string> = new Map(
  [
    "g gram grams gramme grammes",
    "kg kilo kilos kilogram kilograms",
    "mg milligram milligrams",
    "ml millilitre millilitres milliliter milliliters",
    "cl centilitre centilitres",
    "l litre litres liter liters",
    "oz ounce ounces",
    "lb lbs",
    "mm millimetre millimetres",
    "cm centimetre centimetres centimeter centimeters",
    "m metre metres meter meters",
    "km kilometre kilometres kilometer kilometers",
    "mile miles mi",
    "inch inches",
    "second seconds sec secs",
    "minute minutes min mins",
    "hour hours hr hrs h",
    "day days",
    "week weeks",
    "month months",
    "year years yr yrs",
    "am",
    "pm",
    "kcal calories cal",
    "kj",
    "portion portions serving servings",
    "person persons people guest guests",
    "piece pieces pc pcs",
    "percent",
    "star stars",
  ].flatMap((line) => {
    const [unit = "", ...others] = line.split(" ");
    const name = unit === "percent" ? "%" : unit;
    return [unit, ...others].map((word): [string, string] => [word, name]);
  }),
);
