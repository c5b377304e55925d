import type { Box, Item, Span } from "./heif-items.ts";
import { onlyBox, readBoxes, readItems, readMeta, readPrimary, UnsoundFile } from "./heif-items.ts";

/** Items that are images, or describe how images are composed. */
const PICTURES: ReadonlySet<string> = new Set(["hvc1", "hev1", "lhv1", "grid", "iden", "iovl", "tmap"]);
/**
 * Boxes needed to find and draw the items; every other one may contain a location, as the movie of a live photo does.
 */
const NEEDED: ReadonlySet<string> = new Set(["ftyp", "meta", "mdat"]);
const NEEDED_IN_META: ReadonlySet<string> = new Set(
  "hdlr pitm iinf iloc iprp iref idat dinf grpl ipro".split(" "),
);

/**
 * A HEIC image reduced to the image: Exif and XMP items, movies, thumbnails of other types and bytes that
 * belong to no item are overwritten with zeros. Pixels, lengths and offsets do not change, so no decoder is needed.
 * Null for a file that cannot be parsed safely, such as one whose Exif overlaps its image.
 */
export function stripHeif(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  try {
    return strip(bytes);
  } catch (err) {
    if (err instanceof UnsoundFile) return null;
    throw err;
  }
}

function strip(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const boxes = readBoxes(bytes, { start: 0, end: bytes.length });
  const meta = readMeta(bytes, onlyBox(boxes, "meta"));
  const items = readItems(bytes, meta);
  const isPicture = ({ type }: Item): boolean => PICTURES.has(type);
  const primary = readPrimary(bytes, meta);
  if (!items.some((item) => item.id === primary && isPicture(item))) throw new UnsoundFile("no image");

  const data = [...boxes, ...meta].filter(({ type }) => type === "mdat" || type === "idat");
  const kept = items.filter(isPicture).flatMap(({ spans }) => spans);
  const others = items.filter((item) => !isPicture(item));
  assertApart(
    kept,
    others.flatMap(({ spans }) => spans),
  );
  assertInside([...kept, ...others.flatMap(({ spans }) => spans)], data);

  const content = new Uint8Array(bytes);
  const needless = [
    ...boxes.filter(({ type }) => !NEEDED.has(type)),
    ...meta.filter(({ type }) => !NEEDED_IN_META.has(type)),
  ];
  for (const box of needless) empty(content, box);
  for (const { body, end } of data) content.fill(0, body, end);
  for (const { end, start } of kept) content.set(bytes.subarray(start, end), start);
  for (const { spans, type } of others)
    if (type === "Exif") content.set(emptyExif(spans[0]), spans[0]?.start);
  return content;
}

/** A box that is marked as free space. */
function empty(content: Uint8Array, { body, end, start }: Box): void {
  content.set(new TextEncoder().encode("free"), start + 4);
  content.fill(0, body, end);
}

/** The offset of the TIFF header, and a header without entries: Exif readers treat it as empty. */
const NO_EXIF = [0, 0, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0];
const emptyExif = (span: Span | undefined): readonly number[] =>
  span !== undefined && span.end - span.start >= NO_EXIF.length ? NO_EXIF : [];

const byStart = (a: Span, b: Span): number => a.start - b.start;

/** The ranges of an image must not overlap those of its Exif. */
function assertApart(kept: readonly Span[], others: readonly Span[]): void {
  const all = [
    ...kept.map((span) => ({ ...span, isKept: true })),
    ...others.map((span) => ({ ...span, isKept: false })),
  ].sort(byStart);
  let keptTo = 0;
  let othersTo = 0;
  for (const { end, isKept, start } of all) {
    if (start < (isKept ? othersTo : keptTo)) throw new UnsoundFile("items overlap");
    if (isKept) keptTo = Math.max(keptTo, end);
    else othersTo = Math.max(othersTo, end);
  }
}

/** Items are in the data boxes, never in those with the locations. */
function assertInside(spans: readonly Span[], data: readonly Box[]): void {
  const places = [...data].sort(byStart);
  let at = 0;
  for (const { end, start } of [...spans].sort(byStart)) {
    while (at < places.length - 1 && (places[at]?.end ?? 0) <= start) at += 1;
    const place = places[at];
    if (place === undefined || start < place.body || end > place.end) throw new UnsoundFile("no such data");
  }
}
