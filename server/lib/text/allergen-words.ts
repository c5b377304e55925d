/** An allergen named in a text, and whether it is said to be in or not. */
export interface FoundAllergen {
  readonly text: string;
  /** `allergen nut in`, `allergen nut free`: the other one of the two does not support it. */
  readonly key: string;
  readonly at: number;
}

/**
 * Words for the fourteen allergens of Regulation (EU) 1169/2011 Annex II and what they are commonly found as, and for
 * diets, in English. Each line is one substance under its first word.
 */
const WORDS = `
  gluten cereals
  wheat spelt kamut durum semolina
  rye
  barley
  oat oats oatmeal
  crustacean crustaceans prawn prawns shrimp shrimps crab crabs lobster lobsters crayfish
  egg eggs mayonnaise
  fish anchovy anchovies
  peanut peanuts
  soya soy soybean soybeans tofu edamame
  milk dairy lactose butter cream cheese yoghurt yogurt whey casein
  nut nuts
  almond almonds marzipan
  hazelnut hazelnuts
  walnut walnuts
  cashew cashews
  pecan pecans
  pistachio pistachios
  macadamia macadamias
  celery celeriac
  mustard
  sesame tahini
  sulphite sulphites sulfite sulfites sulphur sulfur
  lupin lupins
  mollusc molluscs mollusk mollusks mussel mussels oyster oysters squid octopus clam clams scallop scallops
  allergen allergens
  vegan
  vegetarian
  halal
  kosher
`;

const SUBSTANCES: ReadonlyMap<string, string> = new Map(
  WORDS.trim()
    .split("\n")
    .flatMap((line) => {
      const words = line.trim().split(" ");
      return words.map((word): [string, string] => [word, words[0] ?? word]);
    }),
);

const PATTERN = new RegExp(String.raw`\b(${[...SUBSTANCES.keys()].join("|")})\b(-free|\s+free\b)?`, "gi");
/** A denial shortly before, in the same sentence. */
const DENIED =
  /\b(?:no|not|never|without|free (?:from|of)|contains? neither|isn't|doesn't|don't|nor)\b[^.!?;:]{0,60}$/i;

/** Every mention of an allergen or a diet, in order. */
export const findAllergens = (text: string): FoundAllergen[] =>
  [...text.matchAll(PATTERN)].map((match) => {
    const [found, word = "", free] = match;
    const before = text.slice(Math.max(0, match.index - 80), match.index).replaceAll("’", "'");
    const isFree = free !== undefined || DENIED.test(before);
    const substance = SUBSTANCES.get(word.toLowerCase()) ?? word;
    return { text: found, key: `allergen ${substance} ${isFree ? "free" : "in"}`, at: match.index };
  });
