/** A range of a file, `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A box of an ISO base media file (ISO/IEC 14496-12 §4.2): its type and range. */
export interface Box extends Span {
  readonly type: string;
  /** First byte after the header. */
  readonly body: number;
}

/** An item of a HEIF image: tiles, derived images, Exif … */
export interface Item {
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
export const readMeta = (bytes: Uint8Array, { body, end }: Box): Box[] =>
  readBoxes(bytes, { start: body + 4, end });

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
    places.set(id, spans.length === 0 ? [] : inFile(spans, containerOf(bytes, meta, method)));
  }
  return places;
}

/** Offsets count from the start of the file (0), or of the data inside the `meta` box (1). */
function containerOf(bytes: Uint8Array, meta: readonly Box[], method: number): Span {
  assert(method <= 1, "an item is inside another");
  if (method === 0) return { start: 0, end: bytes.length };
  const { body, end } = onlyBox(meta, "idat");
  return { start: body, end };
}

const inFile = (spans: readonly Span[], container: Span): Span[] =>
  spans.map(({ end, start }) => {
    // Length 0 means the whole source, which no camera writes.
    assert(end > start && end <= container.end - container.start, "an item is outside the file");
    return { start: container.start + start, end: container.start + end };
  });
