/**
 * Sentences in the passive voice, English: a form of "be", at most two adverbs, then a past participle. Both lists are
 * our own. The package `retext-passive` was measured and left out: it knows irregular verbs only ("is baked" passes),
 * sees no adverb between, and took half a second for 200 KB.
 */
export const countPassive = (sentences: readonly (readonly string[])[]): number =>
  sentences.filter(isPassive).length;

/** Whether the words of a sentence hold a passive. */
export function isPassive(words: readonly string[]): boolean {
  const plain = words.map((word) => word.toLowerCase().replaceAll("’", "'"));
  return plain.some((word, place) => {
    if (!BE.has(word)) return false;
    let next = place + 1;
    while (next < place + 3 && isAdverb(plain[next] ?? "")) next += 1;
    return isParticiple(plain[next] ?? "");
  });
}

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const BE = set("am is are was were be been being isn't aren't wasn't weren't");

const ADVERBS = set(
  "not never ever always often still also just then already now soon once yet usually seldom thus even again well",
);

const isAdverb = (word: string): boolean => ADVERBS.has(word) || /.{2}ly$/.test(word);

const isParticiple = (word: string): boolean =>
  IRREGULAR.has(word) || (/^[a-z]{2,}ed$/.test(word) && !NO_PARTICIPLES.has(word));

/** Words in -ed that are nouns or adjectives, or that describe a feeling after "be". */
const NO_PARTICIPLES = set(`
  bed bleed bred breed creed deed exceed feed freed greed heed indeed need proceed red reed seed shed sled speed steed
  succeed wed weed naked sacred wicked rugged hundred kindred aged beloved learned ragged crooked gifted talented
  tired bored excited interested pleased delighted worried scared thrilled amazed ashamed confused surprised relaxed
  experienced advanced sophisticated detailed complicated dedicated committed limited unlimited retired related
`);

const IRREGULAR = set(`
  awoken beaten become begun bent bet bid bitten blown born borne bought bound broadcast broken brought built burnt burst
  cast caught chosen clung cut dealt done drawn driven drunk dug eaten fallen fed felt flung forbidden forgiven forgotten
  fought found frozen given ground grown heard held hidden hit hung hurt kept knit known laid lain led left lent let lit
  lost made meant met mistaken mown overcome overdone overtaken paid proven put quit read rebuilt redone remade repaid
  resold retold rewritten ridden risen run rung said sawn seen sent set sewn shaken shod shone shorn shot
  shown shrunk shut sold sought sown spent spilt split spoilt spoken spread sprung spun stolen struck stuck stung sung
  sunk swept swollen sworn swum swung taken taught thought thrown told torn trodden understood undone upset wept withdrawn
  withheld won worn wound woven written wrung
`);
