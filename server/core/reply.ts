import type { Stored, StoredPage } from "./tx.ts";

/** What a handler returns; `http/` turns it into status, headers and envelope. `D` is the type of `data`. */
export type Reply<D> = { readonly data?: D } & (
  | {
      readonly kind: "value";
      readonly status: 200 | 201 | 202;
      readonly json: () => string;
      readonly location?: string;
      /** Length of the text in bytes, where it is known without looking. */
      readonly bytes?: number;
      /** What its ETag is made of, where `data` holds the instant of the request. */
      readonly identity?: string;
    }
  | {
      readonly kind: "item";
      readonly status: 200 | 201;
      readonly stored: Stored<unknown>;
      readonly location?: string;
    }
  | { readonly kind: "page"; readonly page: StoredPage<unknown> }
  | {
      readonly kind: "values";
      readonly items: readonly unknown[];
      readonly limit: number;
      readonly next: string | null;
    }
  | {
      readonly kind: "pieces";
      /** JSON text of its first members, without the end of the object. */
      readonly head: string;
      /** What an ETag is made of in place of the head, where that holds the instant of the request. */
      readonly identity: string;
      readonly rest: Iterable<string>;
    }
  | { readonly kind: "empty" }
  | {
      readonly kind: "raw";
      readonly status: number;
      readonly contentType: string;
      readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
      readonly headers?: Readonly<Record<string, string>>;
    }
);

type Versioned<T> = T & { version: number };

/** 200 with a computed value. `identity`: what its ETag is made of. Default: all of it. */
export const ok = <D>(data: D, identity?: unknown): Reply<D> => ({
  kind: "value",
  status: 200,
  json: () => JSON.stringify(data),
  ...(identity === undefined ? {} : { identity: JSON.stringify(identity) }),
});
/** JSON text, and its length in bytes. */
export interface JsonText {
  readonly text: string;
  readonly bytes: number;
}

export const toJsonText = (value: unknown): JsonText => {
  const text = JSON.stringify(value);
  return { text, bytes: Buffer.byteLength(text) };
};

/** 200 with a computed value, one member of which is text already. The others must not be empty. */
export function okWith<D extends object, K extends keyof D & string>(
  others: Omit<D, K>,
  member: K,
  { text, bytes }: JsonText,
): Reply<D> {
  const head = `${JSON.stringify(others).slice(0, -1)},"${member}":`;
  return {
    kind: "value",
    status: 200,
    json: () => `${head}${text}}`,
    bytes: Buffer.byteLength(head) + bytes + 1,
  };
}
/**
 * 200 with a computed value that can be long: it is written and sent with pauses. `pieces`: the JSON texts of its last members. The others
 * must not be empty. `identity`: those of the others that its ETag is made of. Default: all.
 */
export const okInPieces = <D extends object, K extends string>(
  others: D,
  pieces: Readonly<Record<K, Iterable<string>>>,
  identity: Partial<D> = others,
): Reply<D & Readonly<Record<K, never>>> => ({
  kind: "pieces",
  head: JSON.stringify(others).slice(0, -1),
  identity: JSON.stringify(identity).slice(0, -1),
  rest: restOf(pieces),
});

function* restOf(pieces: Readonly<Record<string, Iterable<string>>>): Generator<string, void, undefined> {
  for (const [name, own] of Object.entries(pieces)) {
    yield `,"${name}":`;
    yield* own;
  }
  yield "}";
}
/** 202: the work goes on as a job. */
export const accepted = <D>(data: D, location: string): Reply<D> => ({
  kind: "value",
  status: 202,
  json: () => JSON.stringify(data),
  location,
});
/** 201 with a computed value. */
export const made = <D>(data: D, location: string): Reply<D> =>
  ({ ...accepted(data, location), status: 201 }) as Reply<D>;
/** 200 with a stored document; its version becomes `version` and the ETag. */
export const item = <T>(stored: Stored<T>): Reply<Versioned<T>> => ({ kind: "item", status: 200, stored });
/** 201 with a stored document; `location` is its path below the namespace's mount, as in `/zones/zon_1`. */
export const created = <T>(stored: Stored<T>, location: string): Reply<Versioned<T>> => ({
  kind: "item",
  status: 201,
  stored,
  location,
});
/** A stored document for `item` and `created`, with further members in the response that are not stored. */
export const withMembers = <T, M extends object>(stored: Stored<T>, more: M): Stored<T & M> => ({
  id: stored.id,
  value: { ...stored.value, ...more },
  members: `${stored.members.slice(0, -1)},${JSON.stringify(more).slice(1)}`,
  // The version is assigned when the document is committed.
  get version() {
    return stored.version;
  },
});
/** One page of stored documents, passed on as text. */
export const list = <T>(page: StoredPage<T>): Reply<Versioned<T>[]> => ({ kind: "page", page });
/** A list of computed values. */
export const values = <D>(
  items: readonly D[],
  page: { limit?: number; next?: string | null } = {},
): Reply<D[]> => ({
  kind: "values",
  items,
  limit: page.limit ?? items.length,
  next: page.next ?? null,
});
/** 204. */
export const empty = (): Reply<null> => ({ kind: "empty" });
/** An answer with its own media type (CSV, HTML, iCalendar, an event stream), outside the envelope. */
export const raw = (
  contentType: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
  more: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Reply<never> => ({
  kind: "raw",
  status: more.status ?? 200,
  contentType,
  body,
  ...(more.headers ? { headers: more.headers } : {}),
});
