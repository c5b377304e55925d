import { fail, invalidParameter } from "../kernel/errors.ts";

/** Splits a request target; one trailing slash is the same path. */
export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const search = mark < 0 ? "" : target.slice(mark + 1);
  return { path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path, search };
}

/** Throws 400 when a percent-encoding is broken. */
export function assertDecodable(path: string): void {
  decode(path);
}

/** Query parameters by name; 422 when one is given twice, since one of the two would be ignored. */
export function parseQuery(search: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  if (search === "") return values;
  decode(search);
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in values) throw invalidParameter(name, "Given more than once.");
    values[name] = value;
  }
  return values;
}

/** Path parameters as the caller meant them. */
export const decodeParams = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decode(value)]));

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail("bad_request", "The URL holds a broken percent-encoding.");
  }
}
