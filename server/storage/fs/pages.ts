import type { Page, PageOptions } from "../contract.ts";
import type { Documents } from "../documents.ts";
import { createMemo } from "../memo.ts";
import { charsOf, nameOf } from "../pages.ts";
import type { Entry } from "./segment.ts";

/** Pages that were read lately. Each is good until a document is written to its collection or to the one it points at. */
export interface PageMemo {
  /** The page, or null; and where to cache it once it has been read from the documents in memory. */
  look(part: string, coll: string, options: PageOptions): Looked;
}

export interface Looked {
  readonly page: Page | null;
  readonly keep: (page: Page) => void;
}

interface Kept {
  readonly page: Page;
  readonly revision: number;
  readonly targetRevision: number;
}

/**
 * Shops show the same first pages again and again between two writes: such a page is found with one look-up, and its
 * being the same object shows the layers above that the text they rendered from it is still valid.
 */
export function createPageMemo(documents: Documents<Entry>, charsMax: number): PageMemo {
  const pages = createMemo<Kept>(charsMax);
  return {
    look(part, coll, options) {
      const name = nameOf(part, coll, options);
      const revision = documents.revision(part, coll);
      const targetRevision = options.of === undefined ? 0 : documents.revision(part, options.of);
      const kept = pages.get(name);
      if (kept?.revision === revision && kept.targetRevision === targetRevision)
        return { page: kept.page, keep: ignore };
      return {
        page: null,
        keep: (page) => pages.keep(name, { page, revision, targetRevision }, charsOf(page.items)),
      };
    },
  };
}

const ignore = (): void => undefined;
