/** Builds files of boxes as HEIF wants them, and as nobody should write them. */

export const text = (value: string): number[] => [...Buffer.from(value, "latin1")];
export const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255];
export const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value)];
export const u64 = (value: number): number[] => [...u32(Math.floor(value / 2 ** 32)), ...u32(value >>> 0)];

export const box = (type: string, ...body: readonly (readonly number[])[]): number[] => {
  const all = body.flat();
  return [...u32(all.length + 8), ...text(type), ...all];
};
/** A box with a version. */
export const full = (type: string, version: number, ...body: readonly (readonly number[])[]): number[] =>
  box(type, [version, 0, 0, 0], ...body);

export const infe = (id: number, type: string, version = 2): number[] =>
  full("infe", version, version === 3 ? u32(id) : u16(id), u16(0), text(type), [0]);
export const iinf = (...entries: readonly (readonly number[])[]): number[] =>
  full("iinf", 0, u16(entries.length), ...entries);
export const pitm = (id: number): number[] => full("pitm", 0, u16(id));

export interface Place {
  readonly id: number;
  readonly method?: number;
  readonly spans: readonly (readonly [start: number, length: number])[];
}

/** `iloc` with numbers of four bytes, or of eight in version 2. */
export function iloc(version: 0 | 1 | 2, places: readonly Place[]): number[] {
  const sized = version === 2 ? u64 : u32;
  const width = version === 2 ? 0x88 : 0x44;
  const entries = places.map(({ id, method = 0, spans }) => [
    ...(version === 2 ? u32(id) : u16(id)),
    ...(version === 0 ? [] : u16(method)),
    ...u16(0),
    ...u16(spans.length),
    ...spans.flatMap(([start, length]) => [...sized(start), ...sized(length)]),
  ]);
  const count = version === 2 ? u32(places.length) : u16(places.length);
  return full("iloc", version, [width, 0], count, ...entries);
}

export const PICTURE = "picture-picture-";
export const EXIF = "\0\0\0\0MM\0*-and where it was taken";
const XMP = "<x:xmpmeta>Bristol</x:xmpmeta>";
export const FILM = "a film of the same place";

/** A file with a picture, Exif and XMP in `mdat` (or `idat`), and what phones put beside them. */
export function heif(version: 0 | 1 | 2 = 1, where: "mdat" | "idat" = "mdat", change = {}): Uint8Array {
  const data = text(`${PICTURE}${EXIF}${XMP}loose bytes`);
  const parts = {
    primary: 1,
    names: ["hvc1", "Exif", "mime"],
    spans: null,
    extra: [] as number[],
    ...change,
  };
  const make = (base: number): number[] => {
    const spans = parts.spans ?? [
      [base, PICTURE.length],
      [base + PICTURE.length, EXIF.length],
      [base + PICTURE.length + EXIF.length, XMP.length],
    ];
    const method = where === "idat" ? 1 : 0;
    const places = spans.map((span, at): Place => ({
      id: at + 1,
      method,
      spans: [[span[0] ?? 0, span[1] ?? 0]],
    }));
    return [
      ...box("ftyp", text("heic"), u32(0), text("heicmif1")),
      ...full(
        "meta",
        0,
        full("hdlr", 0, u32(0), text("pict"), u32(0), u32(0), u32(0), [0]),
        pitm(parts.primary),
        iinf(...parts.names.map((name, at) => infe(at + 1, name))),
        iloc(version, places),
        ...(where === "idat" ? [box("idat", data)] : []),
        full("xml ", 0, text(FILM)),
      ),
      ...parts.extra,
      ...box("mpvd", text(FILM)),
      ...(where === "mdat" ? box("mdat", data) : []),
    ];
  };
  if (where === "idat") return new Uint8Array(make(0));
  // The places do not change the lengths, so that the first try tells where the data begin.
  const length = make(0).length;
  return new Uint8Array(make(length - data.length));
}
