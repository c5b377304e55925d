import { randomInt } from "node:crypto";

import { z } from "zod";

import { fail, invalidField, toPointer } from "../lib/errors.ts";
import type { FieldError, Problem } from "../lib/errors.ts";
import { closestIssues, describeIssue } from "../core/issues.ts";
import type { Issue } from "../core/issues.ts";
import { LIMITS } from "../core/limits.ts";
import { shorten } from "../lib/shorten.ts";
import { closest } from "../lib/suggest.ts";
import { findManyFaults } from "./many-faults.ts";
import type { Incoming } from "./messages.ts";
import { isMultipart, parseUrlencoded, readMultipart, readUrlencoded } from "./multipart.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true });
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** RFC 8259, and RFC 6839 for types such as `application/vnd.shop+json`. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json$/i;
/** A name and a value of a media type, quoted or not (RFC 9110 §5.6.6). */
const TYPE_PARAMETER = /^([\w!#$&^.+-]+)=("[^"\\]*"|[^\s",;]+)$/;
/** What UTF-8 can read: ASCII is a part of it. */
const CHARSETS: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

/** A body that was read, not parsed yet. */
export interface ReadBody {
  readonly bytes: number;
  /** Throws what the body is refused for. `count`: values in it, at most. */
  readonly parse: () => { readonly value: unknown; readonly count: number };
}

/**
 * Reads a JSON body: 415 for another media type, 413 past the limit, 400 for what is not JSON in UTF-8
 * (also nesting past `LIMITS.jsonDepth` and a member called `__proto__`), 413 past `LIMITS.jsonValues`, `LIMITS.jsonWide` and `LIMITS.jsonShapes`. Routes that say so take the bodies of HTML forms
 * as well; "multipart" takes files with them, and gives fields of one name as a list.
 */
export async function readBody(
  req: Incoming,
  limitBytes: number,
  form: boolean | "multipart",
): Promise<ReadBody> {
  const type = req.header("content-type");
  if (form === "multipart" && isMultipart(type)) {
    const bytes = await req.body(LIMITS.multipartBytes);
    const parts = await readMultipart(bytes, type, req.sender ?? req.peer ?? "");
    return { bytes: bytes.length, parse: () => parsedForm(parts) };
  }
  if (form && type !== undefined && FORM_TYPE.test(type)) {
    const bytes = await req.body(limitBytes);
    const isMixed = form === "multipart";
    return { bytes: bytes.length, parse: () => parsedForm(parseForm(decodeUtf8(bytes), isMixed)) };
  }
  if (type === undefined || !isJson(type)) {
    throw fail(
      "unsupported_media_type",
      "Unsupported media type. Send the body as JSON in UTF-8 with the header Content-Type: application/json.",
      {
        headers: { "Accept-Post": "application/json" },
      },
    );
  }
  const bytes = await req.body(limitBytes);
  if (bytes.length === 0) throw fail("bad_request", "The request body is empty. Send a JSON document.");
  return { bytes: bytes.length, parse: () => parseJson(bytes) };
}

/** The fields of a form; the files of a multipart body are no text. */
function parsedForm(fields: Record<string, unknown>): ReturnType<ReadBody["parse"]> {
  const texts = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? value.filter((each) => typeof each === "string") : value,
  ]);
  const isText = ([, value]: [string, unknown]): boolean => typeof value === "string" || Array.isArray(value);
  refuseMarks(Object.fromEntries(texts.filter(isText)));
  return { value: fields, count: 0 };
}

const parseForm = (text: string, isMixed: boolean): Record<string, unknown> =>
  isMixed ? readUrlencoded(text) : Object.fromEntries(parseUrlencoded(text));

/** A media type of JSON, in a charset that is read; other parameters mean nothing here. */
function isJson(type: string): boolean {
  if (type === "application/json") return true;
  const [essence = "", ...parameters] = type.split(";").map((part) => part.trim());
  return JSON_TYPE.test(essence) && parameters.every((text) => text === "" || isReadable(text));
}

function isReadable(parameter: string): boolean {
  const [match, name = "", value = ""] = TYPE_PARAMETER.exec(parameter) ?? [];
  if (match === undefined) return false;
  return name.toLowerCase() !== "charset" || CHARSETS.has(value.replaceAll('"', "").toLowerCase());
}

/** Parses untrusted JSON bytes; throws 400. */
function parseJson(bytes: Uint8Array): ReturnType<ReadBody["parse"]> {
  const text = decodeUtf8(bytes);
  const count = countValues(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail("bad_request", `The request body is not valid JSON${whereOf(error, text)}.`);
  }
  // An escaped spelling of the member needs a backslash, so most bodies are cleared by two scans of the text.
  if ((text.includes("__proto__") || text.includes("\\u")) && hasProtoMember(value)) {
    throw fail("bad_request", "The member name __proto__ is not allowed.");
  }
  // UTF-8 has no form for half of a pair, so what is stored and linked to cannot contain it.
  if (HALF.test(text)) {
    const detail = "The text contains half of a surrogate pair. Send both halves, or neither.";
    refuseText(value, (part) => /\p{Surrogate}/u.test(part), detail);
  }
  if ((text.length < bytes.length || text.includes("\\u")) && MARKS_IN_JSON.test(text)) {
    refuseMarks(value);
  }
  return { value, count };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw fail(
      "bad_request",
      "The request body is not valid UTF-8. Send it in this encoding and without compression.",
    );
  }
}

/**
 * Commas by depth of the object that is open there; -1 for an array. One for all texts, as each is counted at once: making it takes
 * longer than counting in a short one.
 */
const commas = new Int32Array(LIMITS.jsonDepth + 1);
/** Hashes of the names so far in the object that is open there, and of those in each object that was closed. */
const sequences = new Int32Array(LIMITS.jsonDepth + 1);
const shapes = new Set<number>();
/** Odd, and another one in each process: names with equal hashes cannot be chosen. */
const MULTIPLIER = randomInt(2 ** 32) | 1;

/**
 * Counts brackets and commas outside strings before anything recursive sees the text: each object and array is a value, also an empty
 * one, as half a million of them fit into 1 MB. Members of an object that has very many cost
 * far more than others: it is a hash table, and each name of it is checked and reported. So do those of objects that are not alike.
 */
function countValues(text: string): number {
  let depth = 0;
  let values = 1;
  let wide = 0;
  let shaped = 0;
  let inString = false;
  let hash = 0;
  commas[0] = -1;
  shapes.clear();
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 34) {
        inString = false;
        continue;
      }
      hash = (Math.imul(hash, MULTIPLIER) + code) | 0;
      if (code !== 92) continue;
      index += 1;
      hash = (Math.imul(hash, MULTIPLIER) + text.charCodeAt(index)) | 0;
    } else if (code === 34) {
      inString = true;
      hash = 0;
    } else if (code === 58) sequences[depth] = extend(sequences[depth] ?? 0, hash);
    else if (code === 123 || code === 91) {
      depth += 1;
      values += 1;
      if (values > LIMITS.jsonValues) throw tooManyValues();
      if (depth > LIMITS.jsonDepth)
        throw fail("bad_request", `The request body is nested more than ${LIMITS.jsonDepth} levels deep.`);
      commas[depth] = code === 123 ? 0 : -1;
      sequences[depth] = 0;
    } else if (code === 125 || code === 93) {
      if (code === 125 && !shapes.has(sequences[depth] ?? 0)) {
        shapes.add(sequences[depth] ?? 0);
        shaped += 1 + (commas[depth] ?? 0);
        if (shaped > LIMITS.jsonShapes) {
          const many = `objects with different member names that have more than ${LIMITS.jsonShapes} members`;
          const advice = "Use the same names, in the same order, or send several requests.";
          throw fail("content_too_large", `The request body contains ${many}. ${advice}`);
        }
      }
      depth -= 1;
    } else if (code === 44) {
      values += 1;
      if (values > LIMITS.jsonValues) throw tooManyValues();
      const members = commas[depth] ?? -1;
      if (members < 0) continue;
      commas[depth] = members + 1;
      if (members >= LIMITS.jsonNarrow) wide += 1;
      if (wide > LIMITS.jsonWide) {
        const few = `more than ${LIMITS.jsonWide} members in objects of more than ${LIMITS.jsonNarrow} members`;
        throw fail("content_too_large", `The request body contains ${few}.`);
      }
    }
  }
  return values;
}

const tooManyValues = (): Problem =>
  fail("content_too_large", `The request body contains more than ${LIMITS.jsonValues} values.`);

/** The hash of a sequence of names and one more. */
const extend = (sequence: number, name: number): number =>
  Math.imul(sequence ^ (sequence >>> 15) ^ name, MULTIPLIER);

function whereOf(error: unknown, text: string): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (position === undefined) return "";
  let [line, start] = [1, 0];
  for (let index = 0; index < Number(position); index += 1) {
    if (text.charCodeAt(index) !== 10) continue;
    line += 1;
    start = index + 1;
  }
  return `: error at line ${line}, column ${Number(position) - start + 1}`;
}

/** An escape of one half of a character beyond U+FFFF. */
const HALF = /\\u[dD][89a-fA-F]/;

/**
 * Composing marks (NFC) takes time that grows with the square of their number: 20 s for 200,000 of them. Text of any language has fewer
 * than 30 in a row (UAX #15, Stream-Safe Text Format).
 */
const MARKS_MAX = 100;
/** From the first one of a row only: from each one, rows that are not too long would be read a hundred times. */
const MARKS = new RegExp(`(?<!\\p{M})\\p{M}{${MARKS_MAX + 1}}`, "u");
/** The same where some may be written as escapes, which are looked at once they are read. */
const MARK_IN_JSON = String.raw`(?:\p{M}|\\u[\da-fA-F]{4})`;
const MARKS_IN_JSON = new RegExp(`(?<!${MARK_IN_JSON})${MARK_IN_JSON}{${MARKS_MAX + 1}}`, "u");

const refuseMarks = (value: unknown): void =>
  refuseText(
    value,
    (part) => MARKS.test(part),
    `The text contains more than ${MARKS_MAX} combining marks in a row.`,
  );

/** Throws 422 with the place of the first text, or of the object with a name, that is refused. */
function refuseText(value: unknown, isRefused: (text: string) => boolean, detail: string): void {
  const path = pathTo(value, isRefused);
  if (path !== null) throw invalidField(path, detail);
}

/** Without a list of the members of each object: bodies consist of up to 100,000. */
function pathTo(value: unknown, isRefused: (text: string) => boolean): readonly string[] | null {
  if (typeof value === "string") return isRefused(value) ? [] : null;
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const within = pathTo(value[index], isRefused);
      if (within !== null) return [String(index), ...within];
    }
    return null;
  }
  for (const name in value) {
    if (isRefused(name)) return [];
    const within = pathTo(value[name as keyof typeof value], isRefused);
    if (within !== null) return [name, ...within];
  }
  return null;
}

function hasProtoMember(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProtoMember);
  for (const name in value) {
    if (name === "__proto__" || hasProtoMember(value[name as keyof typeof value])) return true;
  }
  return false;
}

/**
 * Checks a value against a schema; throws 422 with one entry per invalid place.
 * `source` says where the value came from: body places are JSON pointers, query places are parameters.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  source: "body" | "query" | "path",
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const places = result.error.issues.flatMap(toPlaces);
  const noun = source === "body" ? "field" : "parameter";
  const count = countOf(places.length, noun);
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  throw invalid(count, places, { value, source, names });
}

/** Throws 422 for a body with more invalid places than are listed, which `check` would count to the end. `rest`: see `findManyFaults`. */
export async function refuseManyFaults(
  ...[schema, value, ...rest]: Parameters<typeof findManyFaults>
): Promise<void> {
  const places = (await findManyFaults(schema, value, ...rest))?.flatMap(toPlaces);
  if (places === undefined) return;
  const { length } = places;
  const count =
    length > LIMITS.fieldErrors ? `More than ${LIMITS.fieldErrors} fields are` : countOf(length, "field");
  throw invalid(count, places, { value, source: "body", names: [] });
}

const countOf = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;

/** The refusal that lists invalid places. `count`: how many they are, as a sentence begins. */
function invalid(count: string, places: readonly Place[], origin: Origin & { readonly value: unknown }) {
  const isCut = places.length > LIMITS.fieldErrors;
  const detail = `${count} invalid.${isCut ? ` The first ${LIMITS.fieldErrors} are listed.` : ""}`;
  const errors = places
    .slice(0, LIMITS.fieldErrors)
    .map((issue) => toFieldError(issue, origin.value, origin));
  return fail("unprocessable_content", detail, { errors });
}

/** An invalid place: an issue of zod, or one unknown member of it. */
type Place = Issue | { readonly code: "unknown_member"; readonly path: readonly PropertyKey[] };

const toPlaces = (found: Issue): Place[] =>
  closestIssues(found).flatMap((issue): Place[] =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ code: "unknown_member", path: [...issue.path, key] }))
      : [issue],
  );

/** Where a value came from, and the names of its members. */
interface Origin {
  readonly source: "body" | "query" | "path";
  readonly names: readonly string[];
}

function toFieldError(found: Place, root: unknown, { source, names }: Origin): FieldError {
  if (found.code === "unknown_member") {
    const detail =
      source === "query"
        ? unknownParameter(String(found.path[0]), names)
        : "Unknown member. Remove it or check its spelling.";
    return place(found.path, source, detail);
  }
  return place(found.path, source, describeIssue(found, root));
}

function unknownParameter(name: string, names: readonly string[]): string {
  const meant = name.length > SUGGESTED_CHARS ? null : closest(name, names);
  if (meant !== null) return `Unknown parameter. Did you mean \`${meant}\`?`;
  if (names.length === 0) return "Unknown parameter. This route has no parameters.";
  return `Unknown parameter. Available parameters: ${names.map((one) => `\`${one}\``).join(", ")}.`;
}

/** What is longer is no name of ours. */
const PARAMETER_CHARS = 200;
/** A name of this length is never a typing error. */
const SUGGESTED_CHARS = 60;

function place(path: readonly PropertyKey[], source: "body" | "query" | "path", detail: string): FieldError {
  return source === "body"
    ? { pointer: toPointer(path), detail }
    : { parameter: shorten(String(path[0] ?? ""), PARAMETER_CHARS), detail };
}
