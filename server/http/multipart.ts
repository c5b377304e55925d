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

/** Reads application/x-www-form-urlencoded, with the bounds that multipart has; throws 413 for too many fields. */
export function readUrlencoded(text: string): Record<string, unknown> {
  const entries: [string, string][] = [];
  for (const entry of new URLSearchParams(text)) {
    refuseMore(entries.length);
    entries.push(entry);
  }
  return toFormMembers(entries);
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
