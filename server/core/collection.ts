import type { z } from "zod";

import { fail } from "../lib/errors.ts";
import { invertedOrder } from "./ids.ts";

/** One way to list a collection: which values an entry is filed under, and in what order inside a value. */
export interface IndexDef<T> {
  /** Values made of `[A-Za-z0-9_.-]` only: enum values, ids, dates, hashes; never a user's text. [] = not listed. */
  readonly values: (value: T) => readonly string[];
  /** Ascending text that orders the entries of one value; the default is newest first. */
  readonly order?: (value: T) => string;
}

export interface CollectionDef<T> {
  /** `<engine>.<resource>`, as in `delivery.zones`. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly indexes: Readonly<Record<string, IndexDef<T>>>;
  /** Raised when the stored shape changes; `upgrade` then lifts an older document. */
  readonly schemaVersion: number;
  readonly upgrade: (old: Readonly<Record<string, unknown>>, from: number) => unknown;
  /** Documents are computed by typed rules from parsed input, by the thousand: they are stored without another parse. */
  readonly isComputed: boolean;
  /** What of a document is about a person; left out where nothing is. */
  readonly personal?: Personal<T> | undefined;
}

/** What the privacy service needs to find, hand over and erase what is kept about a person. */
export interface Personal<T> {
  /**
   * E-mail addresses in lower case; as `customer:<id>` the shop's own ids of customers; as `ref:<id>` documents whose person
   * is the person of this one (see kernel/personal.ts).
   */
  readonly subjects: (value: T) => readonly string[];
  /** The document without the data of that person; null where it is removed whole. */
  readonly erased: (value: T, subject: string) => T | null;
  /** The document for somebody who is known by these subjects: without other people. Default: without each that it names, one by one. */
  readonly shown?: (value: T, known: ReadonlySet<string>) => T;
  /**
   * What a law wants kept of a document all the same (GDPR Art. 17(3)(b)), on a day; null once nothing holds it any more. The engine
   * itself erases what was held, when its time is over.
   */
  readonly retained?: (value: T, subject: string, today: string) => Retained<T> | null;
}

/** A document that may not be freed of its person yet: with all removed that the law does not ask for. */
export interface Retained<T> {
  readonly value: T;
  /** Last day, `YYYY-MM-DD`. */
  readonly until: string;
  /** One sentence for the person and the shop. */
  readonly reason: string;
}

/** A document type: its schema, its indexes, its stored version. The shape that is stored is the shape that is served. */
export interface Collection<T> extends CollectionDef<T> {
  /** First characters of a stored document of the current schema version. */
  readonly textPrefix: string;
}

/** Ascending text of an instant or a date for `order`, oldest first; also a bound of a page of such an index. */
export const timeOrder = (instant: string): string => instant.replaceAll(":", "");

/** Text of an instant for `order`, newest first: for ids that do not contain their time. */
export const newestFirst = (instant: string): string =>
  String(999_999_999_999_999 - Date.parse(instant)).padStart(15, "0");

/** The index `new`: one value that lists everything, newest first. */
const everything = { values: () => [""] };

/**
 * Declares a collection. The index `new` (newest first) is there unless it is `unlisted`: looked up by id alone.
 * `upgrade` must be given from schema version 2 on.
 */
export function defineCollection<T extends { id: string }>(
  def: Pick<CollectionDef<T>, "name" | "schema"> & Partial<CollectionDef<T>> & { readonly unlisted?: true },
): Collection<T> {
  const schemaVersion = def.schemaVersion ?? 1;
  const collection: Collection<T> = {
    name: def.name,
    schema: def.schema,
    indexes: { ...(def.unlisted ? {} : { new: everything }), ...def.indexes },
    schemaVersion,
    upgrade: def.upgrade ?? ((old) => old),
    isComputed: def.isComputed ?? false,
    personal: def.personal,
    textPrefix: `{"schema_version":${schemaVersion},`,
  };
  declared.set(def.name, {
    indexes: Object.keys(collection.indexes).map((index) => `ix.${def.name}.${index}`),
    entriesOf: (text) => indexEntries(collection, fromText(collection, text)),
    isNewer: (text) => Number(/^\{"schema_version":(\d+),/.exec(text)?.[1] ?? 0) > schemaVersion,
    lift: (text) =>
      text.startsWith(collection.textPrefix) ? null : toText(collection, fromText(collection, text)),
  });
  // Each collection reads and erases its own documents only; the map forgets which type that is.
  if (def.personal !== undefined) personal.set(def.name, collection as unknown as Collection<{ id: string }>);
  return collection;
}

const personal = new Map<string, Collection<{ id: string }>>();

/** The collections of every loaded module that hold something about people, by name. */
export const personalCollections: ReadonlyMap<string, Collection<{ id: string }>> = personal;

/** The indexes of a collection whatever its documents are: for tools that look at a whole store. */
export interface DeclaredIndexes {
  readonly indexes: readonly string[];
  /** The entries that a stored text must have; throws when the text is none of this collection. */
  entriesOf(text: string): [coll: string, id: string][];
  /** Whether a newer version of the platform wrote this text: this one cannot read it. */
  isNewer(text: string): boolean;
  /** The text of an older document as the present version writes it; null for one that is of it already. */
  lift(text: string): string | null;
}

const declared = new Map<string, DeclaredIndexes>();

/** The indexes of every collection that a loaded module declares, by the collection's name. */
export const declaredIndexes: ReadonlyMap<string, DeclaredIndexes> = declared;

/** Ids of the index entries that a document has: `[index name, entry id]`. */
export function indexEntries<T extends { id: string }>(
  collection: Collection<T>,
  value: T,
): [string, string][] {
  return Object.entries(collection.indexes).flatMap(([name, index]) => {
    const listed = listedIn(index, value);
    return listed.values.map((filed) => entryOf(collection, name, listed, filed));
  });
}

/** The entries that a change of a document removes and those that it adds, in the same form; entries that stay are in neither. */
export function indexChanges<T extends { id: string }>(
  collection: Collection<T>,
  before: T | null,
  after: T | null,
): { readonly gone: readonly [string, string][]; readonly added: readonly [string, string][] } {
  const gone: [string, string][] = [];
  const added: [string, string][] = [];
  for (const [name, index] of Object.entries(collection.indexes)) {
    const old = before === null ? NOWHERE : listedIn(index, before);
    const next = after === null ? NOWHERE : listedIn(index, after);
    const stays = old.order === next.order && old.id === next.id;
    for (const filed of old.values)
      if (!stays || !next.values.includes(filed)) gone.push(entryOf(collection, name, old, filed));
    for (const filed of next.values)
      if (!stays || !old.values.includes(filed)) added.push(entryOf(collection, name, next, filed));
  }
  return { gone, added };
}

interface Listed {
  readonly id: string;
  readonly values: readonly string[];
  readonly order: string;
}
const NOWHERE: Listed = { id: "", values: [], order: "" };

function listedIn<T extends { id: string }>(index: IndexDef<T>, value: T): Listed {
  const values = index.values(value);
  if (values.length === 0) return NOWHERE;
  return { id: value.id, values, order: index.order?.(value) ?? invertedOrder(value.id) };
}

const entryOf = (
  { name }: { readonly name: string },
  index: string,
  { order, id }: Listed,
  filed: string,
): [string, string] => [`ix.${name}.${index}`, `${filed}@${order}~${id}`];

/** A value as stored text: the schema version first, so that a reader knows it without parsing. */
export const toText = <T extends object>(collection: Collection<T>, value: T): string =>
  JSON.stringify({ schema_version: collection.schemaVersion, ...value });

/**
 * Stored text → text of the served object after its opening brace, without parsing where the schema version is current.
 * A slice of the stored text, so that nothing is copied until the answer is joined.
 */
export function toMembers<T>(collection: Collection<T>, text: string): string {
  if (text.startsWith(collection.textPrefix)) return text.slice(collection.textPrefix.length);
  return JSON.stringify(fromText(collection, text)).slice(1);
}

/** Stored text → value; lifts documents of an older schema version and parses those again, and refuses those of a newer one. */
export function fromText<T>(collection: Collection<T>, text: string): T {
  // Most documents: copying the members of a parsed object would cost as much as parsing it.
  if (text.startsWith(collection.textPrefix)) {
    return JSON.parse(`{${text.slice(collection.textPrefix.length)}`);
  }
  const { schema_version: from, ...rest } = JSON.parse(text);
  if (from === collection.schemaVersion) return rest;
  if (from > collection.schemaVersion) {
    throw fail(
      "service_unavailable",
      "This data was written by a newer version of the platform than the one that serves this request. Upgrade this node.",
      {
        headers: { "Retry-After": "30" },
        cause: new Error(
          `a document of ${collection.name} has schema version ${from}, this version of the platform knows ${collection.schemaVersion}`,
        ),
      },
    );
  }
  return collection.schema.parse(collection.upgrade(rest, from));
}

/** Indexes of the event feed of an engine: `by` subject or type, and `counted`, a type in order of time. */
export const eventIndexes = <E extends { readonly type: string; readonly created_at: string }>(
  subjectOf: (event: E) => string,
) => ({
  by: { values: (event: E) => [subjectOf(event), `type.${event.type}`] },
  counted: { values: ({ type }: E) => [type], order: ({ created_at }: E) => timeOrder(created_at) },
});

/** An index in order of a member that is an instant, of the documents where it is not null. */
export const timeIndex = <K extends string>(member: K) => ({
  values: (value: { readonly [name in K]: string | null }) => (value[member] === null ? [] : [""]),
  order: (value: { readonly [name in K]: string | null }) => timeOrder(value[member] ?? ""),
});
