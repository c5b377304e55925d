import { createHash } from "node:crypto";

/** Strong ETag of a whole answer. */
export const etagOf = (body: string | Uint8Array): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
