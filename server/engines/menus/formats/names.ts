import { derivedId } from "../../../core/ids.ts";

/** Kinds of resources that other systems have ids for, with the prefix of ours. */
const PREFIXES = {
  menu: "mnu",
  category: "cat",
  item: "itm",
  variation: "var",
  group: "grp",
  modifier: "mod",
  level: "prl",
  schedule: "shd",
} as const;
export type RefKind = keyof typeof PREFIXES;

/** What the things of a document are called here. */
export interface Names {
  /** The code under which ids of the system are kept. */
  readonly system: string;
  readonly id: (kind: RefKind, ref: string) => string;
}

/** True for what reads like an id of ours of that kind: a document that came from here. */
export const isOwnId = (kind: RefKind, ref: string): boolean =>
  new RegExp(`^${PREFIXES[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`).test(ref);

/**
 * Names for a system. `find` gives the id of what is there under a ref; every other ref gets an id that is worked out
 * from it, so that the second import of a thing finds the first, even when two run at once.
 */
export const createNames = (system: string, find: (kind: RefKind, ref: string) => string | null): Names => ({
  system,
  id: (kind, ref) => find(kind, ref) ?? idOfRef(system, kind, ref),
});

/** The id that an import gives to a ref of a system. */
export const idOfRef = (system: string, kind: RefKind, ref: string): string =>
  derivedId(PREFIXES[kind], NO_SECRET, ["menus.import", system, kind, ref]);

// The id has to be the same each time, not hard to guess.
const NO_SECRET = new Uint8Array(0);
