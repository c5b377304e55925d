import { MODE_IDS } from "./modes.ts";
import type { ModeId } from "./modes.ts";

/**
 * The taxonomy: what can be in food, which wider word covers it, and as what each mode declares it.
 * Sources as for the modes; the tree nuts of us are FDA's twelve (Q&A Edition 5, Table 1), those of ca the nine of
 * B.01.010.1(1). Juglans other than J. regia are no walnuts of Annex II ("walnuts (Juglans regia)").
 */
export interface AllergenCode {
  readonly code: string;
  /** `group` is a wider word that no mode takes as the name of an allergen. */
  readonly kind: "specific" | "group";
  /** Wider codes that cover it. */
  readonly parents: readonly string[];
  /** The code under which each mode has it declared; null where it is not regulated. */
  readonly declared_as: Readonly<Record<ModeId, string | null>>;
  /** The name on a label, and in a statement; other languages are in `label-words.json`. */
  readonly names: Readonly<Record<"en" | "fr", Name>>;
  /** Names that a mode prescribes instead. */
  readonly names_in: Readonly<Partial<Record<ModeId, string>>>;
  /** Words that identify it in the name of an ingredient. */
  readonly words: readonly string[];
}

interface Name {
  readonly label: string;
  readonly statement: string;
}

/** `["almond", "almonds", "amande", "amandes"]`: English on the label and in a statement, then French. */
type Names = readonly [string, string, string, string];

interface Row {
  readonly parents?: readonly string[];
  readonly kind?: "group";
  /** Modes that declare it: as itself (`own`) or under another code; the rest do not regulate it. */
  readonly in: readonly ModeId[] | Readonly<Partial<Record<ModeId, string>>>;
  readonly names_in?: Readonly<Partial<Record<ModeId, string>>>;
  readonly words?: readonly string[];
}

const ALL = MODE_IDS;
const NOT_US = ["uk", "eu", "ca", "au_nz"] as const;
const everywhere = (code: string): Readonly<Record<ModeId, string>> => ({
  uk: code,
  eu: code,
  us: code,
  ca: code,
  au_nz: code,
});
const WHEAT: Row = { parents: ["wheat"], in: everywhere("wheat") };
/** A kind of a wider group: us and ca want its own name, the rest the name of the group. */
const species = (group: string, own: Readonly<Partial<Record<ModeId, string>>>): Row => ({
  parents: [group],
  in: { uk: group, eu: group, au_nz: group, ...own },
});
const FISH: Row = { ...species("fish", { us: "own", ca: "own" }), parents: ["fish_unspecified"] };
const CRUSTACEAN = species("crustacean", { us: "own", ca: "own" });
const MOLLUSC = species("mollusc", { ca: "own" });
const NUT: Row = { parents: ["tree_nuts"], in: ALL };
/** Walnuts that are not Juglans regia: names of their own in us, walnuts elsewhere but in uk and eu. A guest who avoids walnuts avoids them. */
const OTHER_WALNUT: Row = { parents: ["walnut"], in: { us: "own", ca: "walnut", au_nz: "walnut" } };
/** Called nuts and regulated nowhere; FDA took them off its list in January 2025. */
const UNREGULATED: Row = { in: [] };

export const CODES: readonly AllergenCode[] = [
  row("gluten", ["gluten", "gluten", "gluten", "gluten"], { kind: "group", in: everywhere("gluten") }),
  row("wheat", ["wheat", "wheat", "blé", "blé"], { parents: ["gluten"], in: ALL }),
  row("spelt", ["spelt", "spelt", "épeautre", "épeautre"], WHEAT),
  row("khorasan", ["khorasan", "khorasan", "khorasan", "khorasan"], WHEAT),
  row("kamut", ["kamut", "kamut", "kamut", "kamut"], WHEAT),
  row("rye", ["rye", "rye", "seigle", "seigle"], { parents: ["gluten"], in: NOT_US }),
  row("barley", ["barley", "barley", "orge", "orge"], { parents: ["gluten"], in: NOT_US }),
  row("oats", ["oats", "oats", "avoine", "avoine"], {
    parents: ["gluten"],
    in: NOT_US,
    words: ["oat", "oats", "avoine"],
  }),
  row("triticale", ["triticale", "triticale", "triticale", "triticale"], {
    parents: ["wheat", "rye"],
    in: { uk: "triticale", eu: "triticale", us: "wheat", ca: "triticale", au_nz: "triticale" },
  }),

  row("shellfish", ["shellfish", "shellfish", "fruits de mer", "fruits de mer"], {
    kind: "group",
    in: everywhere("shellfish"),
  }),
  row("crustacean", ["crustaceans", "crustaceans", "crustacés", "crustacés"], {
    parents: ["shellfish"],
    in: ALL,
    names_in: { us: "crustacean shellfish", au_nz: "crustacean" },
    words: ["crustacean", "crustaceans", "crustacés"],
  }),
  row("crab", ["crab", "crab", "crabe", "crabe"], CRUSTACEAN),
  row("crayfish", ["crayfish", "crayfish", "écrevisse", "écrevisse"], CRUSTACEAN),
  row("langoustine", ["langoustine", "langoustine", "langoustine", "langoustine"], CRUSTACEAN),
  row("lobster", ["lobster", "lobster", "homard", "homard"], CRUSTACEAN),
  row("prawn", ["prawn", "prawn", "crevette", "crevette"], {
    ...CRUSTACEAN,
    words: ["prawn", "prawns", "crevette", "crevettes"],
  }),
  row("shrimp", ["shrimp", "shrimp", "crevette", "crevette"], {
    ...CRUSTACEAN,
    words: ["shrimp", "shrimps", "crevette", "crevettes"],
  }),
  row("mollusc", ["molluscs", "molluscs", "mollusques", "mollusques"], {
    parents: ["shellfish"],
    in: NOT_US,
    names_in: { au_nz: "mollusc" },
    words: ["mollusc", "molluscs", "mollusques"],
  }),
  row("clam", ["clam", "clams", "palourde", "palourdes"], MOLLUSC),
  row("mussel", ["mussel", "mussels", "moule", "moules"], MOLLUSC),
  row("octopus", ["octopus", "octopus", "poulpe", "poulpe"], MOLLUSC),
  row("oyster", ["oyster", "oysters", "huître", "huîtres"], MOLLUSC),
  row("scallop", ["scallop", "scallops", "pétoncle", "pétoncles"], MOLLUSC),
  row("squid", ["squid", "squid", "calmar", "calmar"], MOLLUSC),

  row("fish", ["fish", "fish", "poisson", "poissons"], { in: ALL }),
  row("fish_unspecified", ["fish", "fish", "poisson", "poissons"], {
    kind: "group",
    parents: ["fish"],
    in: everywhere("fish"),
  }),
  row("anchovy", ["anchovy", "anchovy", "anchois", "anchois"], {
    ...FISH,
    words: ["anchovy", "anchovies", "anchois"],
  }),
  row("bass", ["bass", "bass", "bar", "bar"], FISH),
  row("cod", ["cod", "cod", "morue", "morue"], FISH),
  row("flounder", ["flounder", "flounder", "plie", "plie"], FISH),
  row("haddock", ["haddock", "haddock", "aiglefin", "aiglefin"], FISH),
  row("halibut", ["halibut", "halibut", "flétan", "flétan"], FISH),
  row("herring", ["herring", "herring", "hareng", "hareng"], FISH),
  row("mackerel", ["mackerel", "mackerel", "maquereau", "maquereau"], FISH),
  row("pollock", ["pollock", "pollock", "goberge", "goberge"], FISH),
  row("salmon", ["salmon", "salmon", "saumon", "saumon"], FISH),
  row("sardine", ["sardine", "sardines", "sardine", "sardines"], FISH),
  row("trout", ["trout", "trout", "truite", "truite"], FISH),
  row("tuna", ["tuna", "tuna", "thon", "thon"], FISH),

  row("egg", ["egg", "eggs", "œuf", "œufs"], {
    in: ALL,
    words: ["egg", "eggs", "œuf", "œufs", "oeuf", "oeufs"],
  }),
  row("milk", ["milk", "milk", "lait", "lait"], { in: ALL }),
  row("peanut", ["peanut", "peanuts", "arachide", "arachides"], { in: ALL }),
  row("soy", ["soya", "soya", "soja", "soja"], {
    in: ALL,
    names_in: { us: "soy", ca: "soy", au_nz: "soy" },
    words: ["soy", "soya", "soybean", "soybeans", "soja"],
  }),
  row("sesame", ["sesame", "sesame", "sésame", "sésame"], { in: ALL }),

  row("nuts", ["nuts", "nuts", "fruits à coque", "fruits à coque"], {
    kind: "group",
    in: everywhere("nuts"),
  }),
  row("tree_nuts", ["tree nuts", "tree nuts", "noix", "noix"], {
    kind: "group",
    parents: ["nuts"],
    in: everywhere("tree_nuts"),
  }),
  row("almond", ["almond", "almonds", "amande", "amandes"], NUT),
  row("brazil_nut", ["Brazil nut", "Brazil nuts", "noix du Brésil", "noix du Brésil"], NUT),
  row("cashew", ["cashew", "cashews", "noix de cajou", "noix de cajou"], NUT),
  row("hazelnut", ["hazelnut", "hazelnuts", "noisette", "noisettes"], NUT),
  row("macadamia", ["macadamia", "macadamia nuts", "noix de macadamia", "noix de macadamia"], {
    ...NUT,
    words: ["macadamia", "macadamias"],
  }),
  row("pecan", ["pecan", "pecans", "noix de pécan", "noix de pécan"], NUT),
  row("pistachio", ["pistachio", "pistachios", "pistache", "pistaches"], NUT),
  row("walnut", ["walnut", "walnuts", "noix", "noix"], NUT),
  row("pine_nut", ["pine nut", "pine nuts", "pignon de pin", "pignons de pin"], {
    parents: ["tree_nuts"],
    in: ["us", "ca", "au_nz"],
  }),
  row("black_walnut", ["black walnut", "black walnuts", "noix noire", "noix noires"], OTHER_WALNUT),
  row(
    "california_walnut",
    ["California walnut", "California walnuts", "noix de Californie", "noix de Californie"],
    OTHER_WALNUT,
  ),
  row("heartnut", ["heartnut", "heartnuts", "noix du Japon", "noix du Japon"], OTHER_WALNUT),

  row("celery", ["celery", "celery", "céleri", "céleri"], {
    in: ["uk", "eu"],
    words: ["celery", "céleri"],
  }),
  row("mustard", ["mustard", "mustard", "moutarde", "moutarde"], { in: ["uk", "eu", "ca"] }),
  row("lupin", ["lupin", "lupin", "lupin", "lupin"], { in: ["uk", "eu", "au_nz"] }),
  row("sulphites", ["sulphites", "sulphites", "sulfites", "sulfites"], {
    in: NOT_US,
    words: ["sulphite", "sulphites", "sulfite", "sulfites", "sulphur dioxide"],
  }),

  row("coconut", ["coconut", "coconut", "noix de coco", "noix de coco"], UNREGULATED),
  row("chestnut", ["chestnut", "chestnuts", "châtaigne", "châtaignes"], UNREGULATED),
  row("shea", ["shea nut", "shea nuts", "karité", "karité"], UNREGULATED),
  row("beech_nut", ["beech nut", "beech nuts", "faine", "faines"], UNREGULATED),
  row("butternut", ["butternut", "butternuts", "noix cendrée", "noix cendrées"], UNREGULATED),
  row("hickory", ["hickory nut", "hickory nuts", "noix de caryer", "noix de caryer"], UNREGULATED),
  row("pili_nut", ["pili nut", "pili nuts", "noix de pili", "noix de pili"], UNREGULATED),
  row("ginkgo_nut", ["ginkgo nut", "ginkgo nuts", "noix de ginkgo", "noix de ginkgo"], UNREGULATED),
  row("lychee_nut", ["lychee nut", "lychee nuts", "litchi", "litchis"], UNREGULATED),
];

function row(code: string, [label, statement, frLabel, frStatement]: Names, def: Row): AllergenCode {
  return {
    code,
    kind: def.kind ?? "specific",
    parents: def.parents ?? [],
    declared_as: declaredAs(code, def.in),
    names: { en: { label, statement }, fr: { label: frLabel, statement: frStatement } },
    names_in: def.names_in ?? {},
    words: def.words ?? [...new Set([label, statement, frLabel, frStatement])],
  };
}

function declaredAs(code: string, modes: Row["in"]): AllergenCode["declared_as"] {
  const under = (mode: ModeId): string | null => {
    if (isList(modes)) return modes.includes(mode) ? code : null;
    const named = modes[mode] ?? null;
    return named === "own" ? code : named;
  };
  return { uk: under("uk"), eu: under("eu"), us: under("us"), ca: under("ca"), au_nz: under("au_nz") };
}

function isList(modes: Row["in"]): modes is readonly ModeId[] {
  return Array.isArray(modes);
}

const byCode = new Map(CODES.map((entry) => [entry.code, entry]));

export const isKnownCode = (code: string): boolean => byCode.has(code);

/** The entry of a code that was checked at the edge; throws for one that was not. */
export function codeOf(code: string): AllergenCode {
  const found = byCode.get(code);
  if (found === undefined) throw new Error(`Unknown allergen code ${code}.`);
  return found;
}
