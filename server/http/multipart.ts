import { fail } from "../lib/errors.ts";
import { LIMITS } from "../core/limits.ts";

/** A file of a multipart body, as a route sees it. */
export interface SentFile {
  /** As the sender calls it: not to be trusted. */
  readonly name: string;
  /** Bytes as base64, so that a body is JSON whichever way it came. */
  readonly content: string;
}

export const isMultipart = (type: string | undefined): type is string =>
  type !== undefined && /^multipart\/form-data\s*;/i.test(type);

/** Reads multipart/form-data (RFC 7578); throws 400 for what is none, 413 for too many parts. */
export async function readMultipart(bytes: Uint8Array, type: string): Promise<Record<string, unknown>> {
  refuseCostly(bytes, type);
  let form: FormData;
  try {
    // The platform's own parser; a copy, because a body may share memory with other writers.
    form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  } catch (error) {
    throw fail("bad_request", "The request body is not valid multipart/form-data.", { cause: error });
  }
  const entries: [string, string | SentFile][] = [];
  for (const [name, value] of form) {
    refuseMore(entries.length);
    // A browser sends an empty file for an unused input.
    if (typeof value !== "string" && value.size === 0 && value.name === "") continue;
    entries.push([name, typeof value === "string" ? value : await toFile(value)]);
  }
  return toFormMembers(entries);
}

/** RFC 2046 §5.1.1; with an escape or twice, it could be read in two ways. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+./:=?-]{1,70}))\s*(?:;|$)/gi;
/** Bytes of the headers of one part: a name of 255 characters in UTF-8 fits. */
const PART_HEADER_BYTES = 2_048;
const HEADERS_END = "\r\n\r\n";

/** Counts parts and measures their headers before they are parsed: a large body of tiny parts would occupy the event loop for seconds. */
function refuseCostly(bytes: Uint8Array, type: string): void {
  const [first, ...more] = type.matchAll(BOUNDARY);
  const boundary = first?.[1] ?? first?.[2];
  if (boundary === undefined || more.length > 0 || type.match(/boundary\s*=/gi)?.length !== 1)
    throw fail("bad_request", "The media type multipart/form-data needs one parameter boundary.");
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const delimiter = Buffer.from(`--${boundary}`);
  let count = 0;
  for (let start = body.indexOf(delimiter); start >= 0; start = body.indexOf(delimiter, start + 1)) {
    // The last delimiter begins no part.
    refuseMore(count - 1);
    count += 1;
    const head = body.subarray(start + delimiter.length, start + delimiter.length + PART_HEADER_BYTES);
    if (head.length === PART_HEADER_BYTES && !head.includes(HEADERS_END))
      throw fail("content_too_large", `The headers of a part exceed ${PART_HEADER_BYTES} bytes.`);
  }
}

/** Reads application/x-www-form-urlencoded as multipart is read; throws 413 for too many fields. */
export const readUrlencoded = (text: string): Record<string, unknown> =>
  toFormMembers([...parseUrlencoded(text)]);

/** Counts the fields before they are parsed: those of a megabyte would occupy the event loop for half a second. Throws 413. */
export function parseUrlencoded(text: string): URLSearchParams {
  let count = 1;
  for (let index = text.indexOf("&"); index >= 0; index = text.indexOf("&", index + 1)) {
    count += 1;
    if (count > LIMITS.multipartParts)
      throw fail("content_too_large", `The request body has more than ${LIMITS.multipartParts} fields.`);
  }
  return new URLSearchParams(text);
}

function refuseMore(count: number): void {
  if (count < LIMITS.multipartParts) return;
  throw fail("content_too_large", `The request body has more than ${LIMITS.multipartParts} parts.`);
}

const toFile = async (file: File): Promise<SentFile> => ({
  name: file.name,
  content: Buffer.from(await file.arrayBuffer()).toString("base64"),
});

/** Fields of a form by name; one that is there more than once is a list. Throws 400 for a member called __proto__. */
export function toFormMembers<V>(entries: readonly (readonly [string, V])[]): Record<string, V | V[]> {
  const members = new Map<string, V | V[]>();
  for (const [name, value] of entries) {
    if (name === "__proto__") throw fail("bad_request", "The member name __proto__ is not allowed.");
    const before = members.get(name);
    members.set(
      name,
      before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value],
    );
  }
  return Object.fromEntries(members);
}
