import type { Doc, Page } from "../storage/contract.ts";
import { fromText, toMembers } from "./collection.ts";
import type { Collection } from "./collection.ts";

/** A document as a transaction sees it. */
export interface Stored<T> {
  readonly id: string;
  /** Version of the commit that wrote it; for a write staged here it is set by the commit. */
  version: number;
  readonly value: T;
  /** JSON text of the served object after its opening brace; `version` joins it on the way out. */
  readonly members: string;
  /** Differs for each way in which a document of one version is served; absent where it is served as it was written. */
  readonly variant?: string | undefined;
}

export interface StoredPage<T> {
  readonly items: readonly Stored<T>[];
  readonly limit: number;
  /** Opaque cursor of the next page; null on the last. */
  readonly next: string | null;
  /** The store's own page behind this one: while nothing changed it stays the same object, and so does what is made of it. */
  readonly origin?: object;
  /** Characters of its documents. Absent for a page that was put together. */
  readonly chars?: number;
}

export const toStored = <T>(collection: Collection<T>, doc: Doc): Stored<T> => new StoredDoc(collection, doc);

/**
 * Most lists are served as text: a document is parsed only when its value is looked at.
 * A class, because every document of every page becomes one and a getter on a prototype costs a fraction of a closure.
 */
class StoredDoc<T> implements Stored<T> {
  version: number;
  readonly #collection: Collection<T>;
  readonly #doc: Doc;
  #value: T | undefined;
  constructor(collection: Collection<T>, doc: Doc) {
    this.version = doc.version;
    this.#collection = collection;
    this.#doc = doc;
  }
  get id(): string {
    return this.#doc.key.slice(this.#doc.key.lastIndexOf(":") + 1);
  }
  get value(): T {
    this.#value ??= fromText(this.#collection, this.#doc.value);
    return this.#value;
  }
  get members(): string {
    return toMembers(this.#collection, this.#doc.value);
  }
}

/**
 * The value of a document that is served as text afterwards: it is not kept with the document. A list looks at a hundred, each of which can
 * be large, and several lists are read at the same time.
 */
export const lookAt = <T>({ members }: Pick<Stored<T>, "members">): T => JSON.parse(`{${members}`);

/** A page whose documents are made ready only when they are looked at; a class for the same reason. */
export class DocPage<T> implements StoredPage<T> {
  readonly limit: number;
  readonly next: string | null;
  readonly #origin: Page;
  readonly #collection: Collection<T>;
  #items: readonly Stored<T>[] | undefined;
  constructor(collection: Collection<T>, origin: Page, limit: number, next: string | null) {
    this.limit = limit;
    this.next = next;
    this.#origin = origin;
    this.#collection = collection;
  }
  // On the prototype, so that a copy with other items does not pass for the page it was made from.
  get origin(): object {
    return this.#origin;
  }
  get chars(): number {
    let chars = 0;
    for (const { value } of this.#origin.items) chars += value.length;
    return chars;
  }
  get items(): readonly Stored<T>[] {
    this.#items ??= this.#origin.items.map((doc) => toStored(this.#collection, doc));
    return this.#items;
  }
}
