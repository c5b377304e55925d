import { equalSecrets, hmacBase64Url } from "./ids.ts";
import { invalidParameter } from "./errors.ts";

/** Seals the place where a page ended into an opaque text that only fits the list it came from. */
export interface CursorCodec {
  seal(place: string, part: string, after: string): string;
  /** Throws 422 for a cursor that is damaged or belongs to another list. */
  open(place: string, part: string, cursor: string): string;
}

const SIGNATURE_CHARS = 16;

export function createCursorCodec(secret: Uint8Array): CursorCodec {
  const sign = (place: string, part: string, after: string): string =>
    hmacBase64Url(secret, `cursor\0${part}\0${place}\0${after}`).slice(0, SIGNATURE_CHARS);
  return {
    seal: (place, part, after) =>
      sign(place, part, after) + Buffer.from(after, "latin1").toString("base64url"),
    open(place, part, cursor) {
      const after = Buffer.from(cursor.slice(SIGNATURE_CHARS), "base64url").toString("latin1");
      if (equalSecrets(cursor.slice(0, SIGNATURE_CHARS), sign(place, part, after))) return after;
      throw invalidParameter(
        "cursor",
        "Not a cursor of this list. Pass meta.pagination.next_cursor unchanged.",
      );
    },
  };
}
