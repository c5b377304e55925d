import { derivedId } from "../../../kernel/ids.ts";

/** Kinds of resources that other systems have ids for, with the prefix of ours. */
export const PREFIXES = {
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
 * Names for a system. `owns` tells which ids of ours exist: they are kept. Every other ref gets an id that is worked
 * out from it, so that the second import of a thing finds the first, even when two run at once.
 */
export const createNames = (system: string, owns: (kind: RefKind, id: string) => boolean): Names => ({
  system,
  id: (kind, ref) =>
    isOwnId(kind, ref) && owns(kind, ref)
      ? ref
      : derivedId(PREFIXES[kind], NO_SECRET, ["menus.import", system, kind, ref]),
});

// The id has to be the same each time, not hard to guess.
const NO_SECRET = new Uint8Array(0);
