const toSet = (codes: string): ReadonlySet<string> => new Set(codes.split(" "));
const WHEAT = "wheat spelt khorasan kamut triticale";
const CRUSTACEANS = "crustacean crab crayfish langoustine lobster prawn shrimp";
const MOLLUSCS = "mollusc clam mussel octopus oyster scallop squid";
const FISH =
  "fish_unspecified anchovy bass cod flounder haddock halibut herring mackerel pollock salmon sardine trout tuna";
const NUTS =
  "tree_nuts almond brazil_nut cashew hazelnut macadamia pecan pistachio walnut pine_nut black_walnut california_walnut heartnut";

/** Codes of /v1/allergens that cover others, with what they cover: a test holds them against its taxonomy. */
const COVERED = new Map<string, ReadonlySet<string>>([
  ["gluten", toSet(`${WHEAT} rye barley oats`)],
  ["wheat", toSet(WHEAT)],
  ["rye", toSet("triticale")],
  ["shellfish", toSet(`${CRUSTACEANS} ${MOLLUSCS}`)],
  ["crustacean", toSet(CRUSTACEANS)],
  ["mollusc", toSet(MOLLUSCS)],
  ["fish", toSet(FISH)],
  ["fish_unspecified", toSet(FISH)],
  ["nuts", toSet(NUTS)],
  ["tree_nuts", toSet(NUTS)],
]);
const OTHERS = toSet(
  "egg milk peanut soy sesame celery mustard lupin sulphites coconut chestnut shea beech_nut butternut hickory pili_nut ginkgo_nut lychee_nut",
);
const KNOWN = new Set([...OTHERS, ...[...COVERED].flatMap(([code, covered]) => [code, ...covered])]);

export const isAllergenCode = (word: string): boolean => KNOWN.has(word);

/** Whether a product with one of them is not for somebody who avoids the other: nuts and almond, in both directions. */
export const isSameAllergen = (a: string, b: string): boolean =>
  a === b || COVERED.get(a)?.has(b) === true || COVERED.get(b)?.has(a) === true;
