import { isUtf8 } from "node:buffer";

import type { MessageKey, MessageValues } from "../../../core/words.ts";
import { FileKind } from "../schema/field.ts";

/**
 * How metadata is removed from a file: by re-encoding, or, where no decoder is
 * available, by overwriting everything except the image.
 */
export type Cleaning = "redraw" | "strip" | "none";

/** Detected file type by content; or why it is not accepted. */
export type FileJudgement =
  | { readonly ok: true; readonly kind: FileKind; readonly mime: string; readonly cleaning: Cleaning }
  | { readonly ok: false; readonly key: MessageKey; readonly values?: MessageValues };

const MIMES: Readonly<Record<string, readonly [FileKind, Cleaning]>> = {
  "image/png": ["png", "redraw"],
  "image/jpeg": ["jpg", "redraw"],
  "image/webp": ["webp", "redraw"],
  "image/gif": ["gif", "redraw"],
  "image/heic": ["heic", "strip"],
  "image/heif": ["heic", "strip"],
  "application/pdf": ["pdf", "none"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx", "none"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx", "none"],
};

const FILE_KINDS: readonly FileKind[] = FileKind.options;
const refusedKind = (accept: readonly FileKind[] = FILE_KINDS): FileJudgement => ({
  ok: false,
  key: "form.fault_file_kind",
  values: { types: accept.join(", ") },
});

/**
 * Evaluates the detected type of a file, never only its name (vector A27): an image named menu.pdf is an
 * image. An undetected type can only be text, and only for .csv and .txt that are UTF-8 without `<`: pages and
 * SVG images can contain scripts.
 */
export function judgeFile(
  file: { readonly bytes: Uint8Array; readonly name: string },
  sniffed: string | undefined,
  accept: readonly FileKind[] | undefined,
): FileJudgement {
  const result = sniffed === undefined ? asText(file, accept) : asKnown(sniffed, accept);
  return !result.ok || accept === undefined || accept.includes(result.kind) ? result : refusedKind(accept);
}

function asKnown(mime: string, accept: readonly FileKind[] | undefined): FileJudgement {
  const knownKind = Object.hasOwn(MIMES, mime) ? MIMES[mime] : undefined;
  if (knownKind === undefined) return refusedKind(accept);
  const [kind, cleaning] = knownKind;
  return { ok: true, kind, mime, cleaning };
}

function asText(
  { bytes, name }: { readonly bytes: Uint8Array; readonly name: string },
  accept: readonly FileKind[] | undefined,
): FileJudgement {
  const kind = /\.csv$/i.test(name) ? "csv" : /\.txt$/i.test(name) ? "txt" : null;
  if (kind === null) return refusedKind(accept);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(text) || text.includes("<") || text.includes("\0"))
    return { ok: false, key: "form.fault_file_text" };
  return { ok: true, kind, mime: kind === "csv" ? "text/csv" : "text/plain", cleaning: "none" };
}

/** The visitor's name of a file, for display: its last part, without control characters and half of a character that was cut. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .slice(0, 200)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, "")
    .trim();
  return plain === "" ? "file" : plain;
}
