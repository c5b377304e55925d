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
  // Items may share data: each byte once, as thousands of items may have all of it.
  let keptTo = 0;
  for (const { end, start } of [...kept].sort(byStart)) {
    const from = Math.max(start, keptTo);
    if (from >= end) continue;
    content.set(bytes.subarray(from, end), from);
    keptTo = end;
  }
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

/** A range of a file, `[start, end)`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A box of an ISO base media file (ISO/IEC 14496-12 §4.2): its type and range. */
interface Box extends Span {
  readonly type: string;
  /** First byte after the header. */
  readonly body: number;
}

/** An item of a HEIF image: tiles, derived images, Exif … */
interface Item {
  readonly id: number;
  readonly type: string;
  /** Its ranges in the file. */
  readonly spans: readonly Span[];
}

/** The file is inconsistent, or contains something that no camera writes. */
export class UnsoundFile extends Error {}

/** Far above what cameras write: an image of forty-eight megapixels has about fifty items. */
const BOXES_MAX = 4_096;
const ITEMS_MAX = 4_096;
const SPANS_MAX = 8_192;

function assert(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new UnsoundFile(problem);
}

/** Reads consecutive numbers within a range and never past its end. */
function createReader(bytes: Uint8Array, { end, start }: Span) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  const take = (count: number): number => {
    assert(count <= end - at, "a box ends too early");
    at += count;
    return at - count;
  };
  const reader = {
    u8: () => view.getUint8(take(1)),
    u16: () => view.getUint16(take(2)),
    u32: () => view.getUint32(take(4)),
    u64(): number {
      const value = view.getBigUint64(take(8));
      assert(value <= BigInt(Number.MAX_SAFE_INTEGER), "a number is too large");
      return Number(value);
    },
    /** A number whose width is specified in the file: 0, 4 or 8 bytes. */
    sized(width: number): number {
      assert(width === 0 || width === 4 || width === 8, "a number has an odd width");
      return width === 0 ? 0 : width === 4 ? reader.u32() : reader.u64();
    },
    type: () => String.fromCharCode(reader.u8(), reader.u8(), reader.u8(), reader.u8()),
    /** Version of a full box; its flags are skipped. */
    version: () => reader.u32() >>> 24,
    at: () => at,
  };
  return reader;
}

/** The boxes that fill a range. Throws `UnsoundFile` unless they fill it exactly. */
export function readBoxes(bytes: Uint8Array, span: Span): Box[] {
  const boxList: Box[] = [];
  for (let start = span.start; start < span.end;) {
    assert(boxList.length < BOXES_MAX, "there are too many boxes");
    const reader = createReader(bytes, { start, end: span.end });
    const size = reader.u32();
    const type = reader.type();
    const end = size === 0 ? span.end : start + (size === 1 ? reader.u64() : size);
    const body = reader.at();
    assert(end >= body && end <= span.end, "a box is larger than what holds it");
    // A box without a size extends to the end of the file, and only the last one can.
    assert(size !== 0 || span.end === bytes.length, "a box has no size");
    boxList.push({ type, start, end, body });
    start = end;
  }
  return boxList;
}

/** The only box of a type. Throws `UnsoundFile` if there is none, or several. */
export function onlyBox(boxes: readonly Box[], type: string): Box {
  const [match, ...more] = boxes.filter((box) => box.type === type);
  assert(match !== undefined && more.length === 0, `there is not exactly one ${type}`);
  return match;
}

/** The boxes inside a `meta` box, which starts with a version. */
const readMeta = (bytes: Uint8Array, { body, end }: Box): Box[] => readBoxes(bytes, { start: body + 4, end });

/** Id of the primary item (`pitm`). */
export function readPrimary(bytes: Uint8Array, meta: readonly Box[]): number {
  const box = onlyBox(meta, "pitm");
  const reader = createReader(bytes, { start: box.body, end: box.end });
  return reader.version() === 0 ? reader.u16() : reader.u32();
}

/** The items of a `meta` box with their types (`iinf`) and locations (`iloc`), each once. */
export function readItems(bytes: Uint8Array, meta: readonly Box[]): Item[] {
  const types = readTypes(bytes, onlyBox(meta, "iinf"));
  const places = readPlaces(bytes, meta);
  // An item with a location but without an entry cannot be displayed.
  return [...new Set([...types.keys(), ...places.keys()])].map((id) => ({
    id,
    type: types.get(id) ?? "",
    spans: places.get(id) ?? [],
  }));
}

/** `iinf`, ISO/IEC 14496-12 §8.11.6. Entries of versions 0 and 1 have no type: they belong to other file formats. */
function readTypes(bytes: Uint8Array, box: Box): Map<number, string> {
  const head = createReader(bytes, { start: box.body, end: box.end });
  const count = head.version() === 0 ? head.u16() : head.u32();
  const entries = readBoxes(bytes, { start: head.at(), end: box.end });
  assert(count === entries.length && count <= ITEMS_MAX, "the number of items is wrong");
  const types = new Map<number, string>();
  for (const { body, end, type: name } of entries) {
    assert(name === "infe", "there is an unsupported entry among the items");
    const reader = createReader(bytes, { start: body, end });
    const version = reader.version();
    const id = version < 3 ? reader.u16() : reader.u32();
    reader.u16();
    assert(!types.has(id), "an item is listed twice");
    types.set(id, version < 2 ? "" : reader.type());
  }
  return types;
}

/** `iloc`, ISO/IEC 14496-12 §8.11.3, versions 0 to 2. */
function readPlaces(bytes: Uint8Array, meta: readonly Box[]): Map<number, Span[]> {
  const box = onlyBox(meta, "iloc");
  const reader = createReader(bytes, { start: box.body, end: box.end });
  const version = reader.version();
  assert(version <= 2, "the locations have an unknown version");
  const widths = [reader.u8(), reader.u8()].flatMap((pair) => [pair >> 4, pair & 15]);
  const [ofOffset = 0, ofLength = 0, ofBase = 0, ofIndex = 0] = widths;
  const count = version < 2 ? reader.u16() : reader.u32();
  assert(count <= ITEMS_MAX, "there are too many items");
  // Once for all items: to look through four thousand boxes for each of as many takes 400 ms.
  const inside = meta.filter(({ type }) => type === "idat");
  const places = new Map<number, Span[]>();
  let all = 0;
  for (let item = 0; item < count; item += 1) {
    const id = version < 2 ? reader.u16() : reader.u32();
    const method = version === 0 ? 0 : reader.u16() & 15;
    assert(reader.u16() === 0, "a part of the image is in another file");
    const base = reader.sized(ofBase);
    const extents = reader.u16();
    all += extents;
    assert(all <= SPANS_MAX && !places.has(id), "there are too many locations");
    const spans = Array.from({ length: extents }, (): Span => {
      if (version > 0) reader.sized(ofIndex);
      const start = base + reader.sized(ofOffset);
      return { start, end: start + reader.sized(ofLength) };
    });
    places.set(id, spans.length === 0 ? [] : inFile(spans, containerOf(bytes, inside, method)));
  }
  return places;
}

/** Offsets count from the start of the file (0), or of the data inside the `meta` box (1). */
function containerOf(bytes: Uint8Array, inside: readonly Box[], method: number): Span {
  assert(method <= 1, "an item is inside another");
  if (method === 0) return { start: 0, end: bytes.length };
  const { body, end } = onlyBox(inside, "idat");
  return { start: body, end };
}

const inFile = (spans: readonly Span[], container: Span): Span[] =>
  spans.map(({ end, start }) => {
    // Length 0 means the whole source, which no camera writes.
    assert(end > start && end <= container.end - container.start, "an item is outside the file");
    return { start: container.start + start, end: container.start + end };
  });
