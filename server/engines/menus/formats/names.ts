import { derivedId } from "../../../core/ids.ts";

/** Kinds of resources with ids in other systems, with our id prefix. */
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

/** Our ids of the objects in a document. */
export interface Names {
  /** The code under which ids of the system are stored. */
  readonly system: string;
  readonly id: (kind: RefKind, ref: string) => string;
}

/** True for a string in the format of our ids of that kind: the document may have been exported from here. */
export const isOwnId = (kind: RefKind, ref: string): boolean =>
  ref.startsWith(`${PREFIXES[kind]}_`) && /^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/.test(ref);

/**
 * Resolves ids of a system. `find` returns the id of the existing resource for a ref; every other ref gets an id
 * derived
 * from it, so that a repeated import finds the object of the first one, even if both run concurrently.
 */
export function createNames(system: string, find: (kind: RefKind, ref: string) => string | null): Names {
  // A document refers to the same object many times.
  const ids = new Map<string, string>();
  return {
    system,
    id(kind, ref) {
      const key = `${kind} ${ref}`;
      const id = ids.get(key) ?? find(kind, ref) ?? idOfRef(system, kind, ref);
      ids.set(key, id);
      return id;
    },
  };
}

/** The id that an import assigns to a ref of a system. */
export const idOfRef = (system: string, kind: RefKind, ref: string): string =>
  derivedId(PREFIXES[kind], NO_SECRET, ["menus.import", system, kind, ref]);

// The id must be deterministic, not hard to guess.
const NO_SECRET = new Uint8Array(0);
