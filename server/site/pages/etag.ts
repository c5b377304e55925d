import { createHash } from "node:crypto";

const known = new WeakMap<Uint8Array, string>();

/** Strong ETag of a whole answer, computed once for the same bytes: they must not change. */
export function etagOf(body: Uint8Array): string {
  const found = known.get(body);
  if (found !== undefined) return found;
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
  known.set(body, etag);
  return etag;
}
