import type { z } from "zod";

import { fail, invalidParameter } from "../lib/errors.ts";
import { copyText } from "../lib/shorten.ts";
import { check } from "./body.ts";

/** Splits a request target; one trailing slash is the same path. */
export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const search = mark < 0 ? "" : target.slice(mark + 1);
  return { path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path, search };
}

/** A segment that stands for another path, however it is spelled. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

/**
 * Whether a raw path spells the literal segments of `route`. URLs are normalized before they are routed, but a proxy in front
 * may judge a path by its text: what has to be normalized to match leads nowhere.
 */
export function isSpelledAs(route: string, raw: string): boolean {
  if (DOT_SEGMENT.test(raw)) return false;
  const segments = (raw.endsWith("/") ? raw.slice(0, -1) : raw).split("/").toReversed();
  // From the end: what the service is mounted below comes before it.
  const wanted = route.split("/").slice(1).filter(Boolean).toReversed();
  return wanted.every((segment, index) => segment.startsWith(":") || segment === segments[index]);
}

/** Throws 400 when a percent-encoding is broken; `onBroken` is called before. */
export function assertDecodable(path: string, onBroken: () => void): void {
  try {
    decode(path);
  } catch (error) {
    onBroken();
    throw error;
  }
}

/** No route has a fifth of it; the thousands that fit into a URL take several milliseconds. */
const PARAMETERS_MAX = 100;

/** Query parameters by name; 400 for too many, 422 when one is given twice, since one of the two would be ignored. */
function parseQuery(search: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  if (search === "") return values;
  if (search.split("&", PARAMETERS_MAX + 1).length > PARAMETERS_MAX)
    throw fail("bad_request", `The URL has more than ${PARAMETERS_MAX} parameters.`);
  decode(search);
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in values) throw invalidParameter(name, "Duplicate parameter. Specify it only once.");
    values[name] = value.replace(LOST_PLUS, "$1+$2");
  }
  return values;
}

/** An instant whose plus sign was sent as it is, and so reads as a space. */
const LOST_PLUS = /^(\d{4}-\d\d-\d\dT[\d:.]{8,30}) (\d\d:\d\d)$/i;

/** Raw queries of one schema whose outcome is remembered, and how long such a text may be. */
const REMEMBERED = 256;
const REMEMBERED_CHARS = 200;

const outcomes = new WeakMap<z.ZodObject, Map<string, Readonly<Record<string, unknown>>>>();

/**
 * The parameters of a query, checked; throws 422. Clients send the same few queries over and over: what a text came to
 * is remembered, where it is a flat object that can be shared.
 */
export function readQuery(schema: z.ZodObject, search: string): Record<string, unknown> {
  let known = outcomes.get(schema);
  if (known === undefined) outcomes.set(schema, (known = new Map()));
  const found = known.get(search);
  if (found !== undefined) return found;
  const query = check(schema, parseQuery(search), "query");
  if (search.length > REMEMBERED_CHARS || Object.values(query).some(isNested)) return query;
  if (known.size >= REMEMBERED) known.clear();
  known.set(copyText(search), Object.freeze(query));
  return query;
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Path parameters as the caller meant them. */
export function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const name in params) decoded[name] = decode(params[name] ?? "");
  return decoded;
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail("bad_request", "The URL contains an invalid percent-encoding.");
  }
}
