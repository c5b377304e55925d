import { StoreError } from "../contract.ts";
import type { Version } from "../contract.ts";
import type { S3Client } from "./client.ts";
import type { S3Answer } from "./transport.ts";
import { childText, parseXml } from "./xml.ts";
import { bareEtag } from "./client.ts";

/** What an object holds: a document, or the tombstone of one (`value` null), and the commit that wrote it. */
export interface Content {
  readonly version: Version;
  readonly value: string | null;
}

export interface Stored extends Content {
  /** null: there is no object; undefined: not known, because another node wrote it. */
  readonly etag: string | null | undefined;
}

/** There is no object. */
export const ABSENT: Stored = { version: 0, value: null, etag: null };

export interface Listed {
  readonly key: string;
  readonly etag: string;
  readonly tombstone: boolean;
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface Listing {
  readonly entries: readonly Listed[];
  /** Folders, with the delimiter at their end; only when one was asked for. */
  readonly folders: readonly string[];
  /** How the listing goes on; absent at its end. */
  readonly token?: string;
  /** The server's own clock. */
  readonly dateMs: number;
}

export interface ListRequest {
  readonly prefix: string;
  /** Keys strictly greater than this one. */
  readonly after?: string;
  readonly limit?: number;
  readonly folders?: boolean;
  readonly token?: string | undefined;
}

/** How the server takes the ETag of a condition; the probe at the start finds it out. */
export type EtagForm = "quoted" | "unquoted";

/** Writing and reading single objects below one prefix of the bucket. */
export interface Objects {
  /** What is there; `known` spares its transfer when it is unchanged. */
  read(key: string, known?: Stored): Promise<Stored>;
  /** Writes a document or a tombstone when the object is still the one of this ETag (null: none). */
  write(key: string, content: Content, on: Condition): Promise<string | null>;
  /** A text as it is, such as a head; null when there is none. */
  readText(key: string, knownEtag?: string): Promise<TextRead>;
  /** Resolves with the new ETag, or null when the condition does not hold. */
  writeText(key: string, text: string, on: Condition): Promise<string | null>;
  /** Deletes by one request, which is not tried again. */
  remove(key: string): Promise<void>;
  list(request: ListRequest): Promise<Listing>;
}

export interface Condition {
  readonly etag: string | null;
  readonly notAfterMs?: number;
}

export type TextRead =
  | { readonly found: "unchanged" }
  | { readonly found: "none" }
  | { readonly found: "text"; readonly text: string; readonly etag: string };

/** Digits of a version in front of a value, room for every safe integer. A tombstone is nothing else. */
const DIGITS = 16;
export const TOMBSTONE_BYTES = DIGITS;
/** Where the value begins in an object. */
export const VALUE_AT = DIGITS + 1;
/** Longest listing that a server gives at once. */
export const LIST_MAX = 1000;

/**
 * An object's bytes are the version in 16 digits, a line feed and the value; a tombstone is the version alone. So no two
 * commits ever write the same bytes to one key, and its ETag (a hash of the bytes) names the commit that wrote it: an
 * older writer's condition can't come true again by chance. A listing shows tombstones by their size.
 */
export function encodeContent({ version, value }: Content): string {
  const head = String(version).padStart(DIGITS, "0");
  return value === null ? head : `${head}\n${value}`;
}

export function decodeContent(text: string, key: string): Content {
  const head = text.slice(0, DIGITS);
  if (!/^\d{16}$/.test(head) || (text.length > DIGITS && text[DIGITS] !== "\n")) {
    throw new StoreError("CORRUPT", `the object ${key} was not written by this service`);
  }
  return { version: Number(head), value: text.length === DIGITS ? null : text.slice(DIGITS + 1) };
}

/** The heads and the documents of each partition have a line of their own: one with many requests keeps no other waiting. */
const lineOf = (key: string): string => key.split("/", 2).join("/");

export function createObjects(client: S3Client, prefix: string, etagForm: () => EtagForm): Objects {
  const root = prefix === "" ? "" : `${prefix}/`;
  const wire = (etag: string): string => (etagForm() === "quoted" ? `"${etag}"` : etag);
  const conditionOf = (etag: string | null): Record<string, string> =>
    etag === null ? { "if-none-match": "*" } : { "if-match": wire(etag) };

  const readText = async (key: string, knownEtag?: string): Promise<TextRead> => {
    const answer = await client.send({
      method: "GET",
      key: root + key,
      line: lineOf(key),
      ...(knownEtag === undefined ? {} : { headers: { "if-none-match": wire(knownEtag) } }),
    });
    if (answer.status === 304) return { found: "unchanged" };
    if (answer.status === 404) return { found: "none" };
    return { found: "text", text: answer.body, etag: etagOf(answer, key) };
  };
  const writeText = async (key: string, text: string, { etag, notAfterMs }: Condition) => {
    const answer = await client.send({
      method: "PUT",
      key: root + key,
      line: lineOf(key),
      headers: conditionOf(etag),
      body: text,
      ...(notAfterMs === undefined ? {} : { notAfterMs }),
    });
    // Where there is no object to match, servers answer 404 or 412.
    return answer.status === 200 ? etagOf(answer, key) : null;
  };

  return {
    readText,
    writeText,
    async read(key, known) {
      const read = await readText(key, known?.etag ?? undefined);
      if (read.found === "none") return ABSENT;
      if (read.found === "text") return { ...decodeContent(read.text, key), etag: read.etag };
      if (known === undefined) throw new StoreError("UNAVAILABLE", `304 for ${key} without a condition`);
      return known;
    },
    write: (key, content, on) => writeText(key, encodeContent(content), on),
    async remove(key) {
      await client.send({ method: "DELETE", key: root + key, line: lineOf(key), tries: 1 });
    },
    async list({ prefix, after, limit = LIST_MAX, folders = false, token }) {
      const answer = await client.send({
        method: "GET",
        line: lineOf(prefix),
        query: {
          "list-type": "2",
          "encoding-type": "url",
          "max-keys": String(limit),
          prefix: root + prefix,
          ...(after === undefined ? {} : { "start-after": root + after }),
          ...(folders ? { delimiter: "/" } : {}),
          ...(token === undefined ? {} : { "continuation-token": token }),
        },
      });
      return readListing(answer, root);
    },
  };
}

function etagOf({ etag }: S3Answer, key: string): string {
  if (etag === "") throw new StoreError("UNAVAILABLE", `the server returned no ETag for ${key}`);
  return etag;
}

function readListing({ body, dateMs }: S3Answer, root: string): Listing {
  const result = parseXml(body);
  const decode =
    childText(result, "EncodingType") === "url" ? (text: string) => decodeURIComponent(text) : String;
  const named = (name: string) => result.children.filter((child) => child.name === name);
  const entries = named("Contents").map((one): Listed => {
    const bytes = Number(childText(one, "Size"));
    return {
      key: decode(childText(one, "Key")).slice(root.length),
      etag: bareEtag(childText(one, "ETag")),
      tombstone: bytes <= DIGITS,
      bytes,
      modifiedMs: Date.parse(childText(one, "LastModified")),
    };
  });
  const folders = named("CommonPrefixes").map((one) => decode(childText(one, "Prefix")).slice(root.length));
  const more = childText(result, "IsTruncated") === "true";
  const token = childText(result, "NextContinuationToken");
  if (more && token === "")
    throw new StoreError("UNAVAILABLE", "a truncated listing without a continuation token");
  return more ? { entries, folders, token, dateMs } : { entries, folders, dateMs };
}
