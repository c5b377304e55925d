import { fail } from "../lib/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { giveWay } from "../lib/slices.ts";

/** A file of a multipart body, as a route sees it. */
export interface SentFile {
  /** As the sender calls it: not to be trusted. */
  readonly name: string;
  /** A part of the memory of the body: see `FileContent`. */
  readonly content: Uint8Array;
}

/** Whether the body of a form has files: without reading them, which takes time. */
export const hasFiles = (body: unknown): boolean =>
  typeof body === "object" &&
  body !== null &&
  Object.values(body)
    .flat()
    .some((value) => typeof value === "object" && value !== null);

export const isMultipart = (type: string | undefined): type is string =>
  type !== undefined && /^multipart\/form-data\s*;/i.test(type);

/**
 * Reads multipart/form-data (RFC 7578); throws 400 for what is none, 413 for too many parts and for more text than another body may
 * have. Not by the parser of the platform, which copies a large body several times and reads all of it in one turn of the event loop. `sender`: whose turns it takes.
 */
export async function readMultipart(
  bytes: Uint8Array,
  type: string,
  sender = "",
): Promise<Record<string, unknown>> {
  const entries: [string, string | SentFile][] = [];
  let textBytes = 0;
  for (const { content, fileName, name } of await splitParts(bytes, boundaryOf(type), sender)) {
    // A browser sends an empty file for an unused input.
    if (fileName === "" && content.length === 0) continue;
    if (fileName !== null) {
      entries.push([name, { name: fileName, content }]);
      continue;
    }
    textBytes += content.length;
    if (textBytes > LIMITS.bodyBytes)
      throw fail("content_too_large", `The fields of the request body exceed ${LIMITS.bodyBytes} bytes.`);
    entries.push([name, TEXT.decode(content)]);
  }
  return toFormMembers(entries);
}

const TEXT = new TextDecoder();
/** RFC 2046 §5.1.1; with an escape or twice, it could be read in two ways. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+./:=?-]{1,70}))\s*(?:;|$)/gi;
/** Bytes of the headers of one part: a name of 255 characters in UTF-8 fits. */
const PART_HEADER_BYTES = 2_048;
const HEADERS_END = "\r\n\r\n";

function boundaryOf(type: string): string {
  const [first, ...more] = type.matchAll(BOUNDARY);
  const boundary = first?.[1] ?? first?.[2];
  if (boundary !== undefined && more.length === 0 && type.match(/boundary\s*=/gi)?.length === 1)
    return boundary;
  throw fail("bad_request", "The media type multipart/form-data needs one parameter boundary.");
}

interface Part {
  readonly name: string;
  /** Null for a part that is no file. */
  readonly fileName: string | null;
  readonly content: Uint8Array;
}

async function splitParts(bytes: Uint8Array, boundary: string, sender: string): Promise<Part[]> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // The first one may be without its line break.
  const first = delimiter.subarray(2);
  let end = (body.toString("latin1", 0, 2) === "\r\n" ? 2 : 0) + first.length;
  if (!body.subarray(end - first.length, end).equals(first)) throw malformed();
  while (body.toString("latin1", end, end + 2) !== "--") {
    if (parts.length >= LIMITS.multipartParts)
      throw fail("content_too_large", `The request body has more than ${LIMITS.multipartParts} parts.`);
    const head = body.subarray(end, end + PART_HEADER_BYTES);
    const headBytes = head.indexOf(HEADERS_END);
    if (headBytes < 0 && head.length === PART_HEADER_BYTES)
      throw fail("content_too_large", `The headers of a part exceed ${PART_HEADER_BYTES} bytes.`);
    const start = end + headBytes + HEADERS_END.length;
    const next = headBytes < 0 ? -1 : await findDelimiter(body, delimiter, start, sender);
    if (next < 0) throw malformed();
    parts.push({
      ...readHeaders(TEXT.decode(head.subarray(0, headBytes))),
      content: body.subarray(start, next),
    });
    end = next + delimiter.length;
  }
  return parts;
}

const SEARCHED_BYTES = 262_144;

/** In pieces: some contents take 200 ms to search. */
async function findDelimiter(
  body: Buffer,
  delimiter: Buffer,
  start: number,
  sender: string,
): Promise<number> {
  for (let from = start; from < body.length; from += SEARCHED_BYTES) {
    await giveWay(sender);
    const index = body.subarray(from, from + SEARCHED_BYTES + delimiter.length - 1).indexOf(delimiter);
    if (index >= 0) return from + index;
  }
  return -1;
}

const DISPOSITION =
  /^content-disposition:[ \t]*form-data[ \t]*;[ \t]*name="([^"]*)"(?:[ \t]*;[ \t]*filename="([^"]*)")?[ \t]*(?:;|$)/i;
const ENCODED = /^content-transfer-encoding:[ \t]*(?:base64|quoted-printable)/i;

/** Name and file name of a part, out of the lines after its delimiter. */
function readHeaders(head: string): Pick<Part, "name" | "fileName"> {
  const [first, ...lines] = head.split("\r\n");
  const [, name, fileName] = lines.flatMap((line) => DISPOSITION.exec(line) ?? []);
  // RFC 7578 §4.7: no form sends it.
  const isEncoded = lines.some((line) => ENCODED.test(line));
  if (first !== "" || name === undefined || isEncoded) throw malformed();
  return { name: unescape(name), fileName: fileName === undefined ? null : unescape(fileName) };
}

/** Of the characters that cannot be in a quoted name. */
const ESCAPES = new Map([
  ["%0A", "\n"],
  ["%0D", "\r"],
  ["%22", '"'],
]);
const unescape = (name: string): string =>
  name.replaceAll(/%(?:0A|0D|22)/gi, (escape) => ESCAPES.get(escape.toUpperCase()) ?? escape);

const malformed = () => fail("bad_request", "The request body is not valid multipart/form-data.");

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
