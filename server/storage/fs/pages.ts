import type { Page, PageOptions } from "../contract.ts";
import type { Documents } from "../documents.ts";
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
  readonly chars: number;
  readonly revision: number;
  readonly targetRevision: number;
  /** Read since it last came up to go. */
  hot: boolean;
}

/**
 * Shops show the same first pages again and again between two writes: such a page is found with one look-up, and its
 * being the same object shows the layers above that the text they rendered from it is still valid. At most `charsMax` characters
 * of documents are kept; of the oldest, those that were not read again are evicted first.
 */
export function createPageMemo(documents: Documents<Entry>, charsMax: number): PageMemo {
  const pages = new Map<string, Kept>();
  let chars = 0;

  const drop = (name: string, kept: Kept): void => {
    pages.delete(name);
    chars -= kept.chars;
  };

  function keep(name: string, kept: Kept): void {
    const before = pages.get(name);
    if (before !== undefined) drop(name, before);
    if (kept.chars > charsMax / 16) return;
    pages.set(name, kept);
    chars += kept.chars;
    for (const [oldest, other] of pages) {
      if (chars <= charsMax) break;
      drop(oldest, other);
      if (!other.hot) continue;
      // A hit only sets the flag, so a hot read moves nothing; an entry with the flag set goes to the back once more.
      other.hot = false;
      pages.set(oldest, other);
      chars += other.chars;
    }
  }

  return {
    look(part, coll, options) {
      const { of = "", limit, prefix = "", after = "" } = options;
      const name = `${part}:${coll}:${of}:${limit}:${prefix}:${after}`;
      const revision = documents.revision(part, coll);
      const targetRevision = of === "" ? 0 : documents.revision(part, of);
      const kept = pages.get(name);
      if (kept?.revision === revision && kept.targetRevision === targetRevision) {
        kept.hot = true;
        return { page: kept.page, keep: ignore };
      }
      return {
        page: null,
        keep: (page) => keep(name, { page, chars: charsOf(page), revision, targetRevision, hot: false }),
      };
    },
  };
}

const ignore = (): void => undefined;

/** Memory of a page in addition to its texts. */
const OVERHEAD_CHARS = 200;

const charsOf = ({ items }: Page): number =>
  items.reduce((sum, { key, value }) => sum + key.length + value.length + OVERHEAD_CHARS, OVERHEAD_CHARS);
