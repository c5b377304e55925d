import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stripHeif } from "../../../server/engines/forms/rules/strip-heif.ts";
import { seeded } from "../../seeded.ts";
import { HEIC } from "./files.ts";
import { box, EXIF, FILM, heif, PICTURE, text, u32, u64 } from "./heif.ts";

const shown = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString("latin1");

describe("what is left of a HEIC picture", () => {
  it("is the picture alone, as libheif wrote it", () => {
    for (const word of ["Camera", "Bristol", "xmpmeta"]) expect(shown(HEIC)).toContain(word);
    const stripped = stripHeif(HEIC);
    expect(stripped?.length).toBe(HEIC.length);
    for (const word of ["Camera", "Bristol", "xmpmeta"]) expect(shown(stripped)).not.toContain(word);
    // The two pictures, by the places that the file itself tells; and an Exif that says nothing.
    const differing = [...HEIC.keys()].filter((at) => HEIC[at] !== stripped?.[at]);
    const first = shown(HEIC).indexOf("Camera");
    expect(differing.length).toBeGreaterThan(100);
    expect(differing.every((at) => at >= shown(HEIC).indexOf("mdat"))).toBe(true);
    expect(shown(stripped).slice(0, first)).toContain("\0\0\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0");
    expect(stripHeif(stripped ?? HEIC)).toEqual(stripped);
  });

  it.each([
    [0, "mdat"],
    [1, "mdat"],
    [2, "mdat"],
    [1, "idat"],
    [2, "idat"],
  ] as const)("is found by iloc version %i in %s", (version, where) => {
    const before = heif(version, where);
    const after = shown(stripHeif(before));
    expect(after).toHaveLength(before.length);
    expect(after).toContain(PICTURE);
    for (const gone of [FILM, "where it was taken", "Bristol", "loose bytes", "mpvd", "xml "]) {
      expect(shown(before)).toContain(gone);
      expect(after).not.toContain(gone);
    }
  });

  it("has data that items share, whichever begins first", () => {
    const names = ["hvc1", "hvc1", "hvc1", "Exif"];
    const spans = [
      [4, 12],
      [0, 6],
      [8, 4],
      [PICTURE.length, EXIF.length],
    ];
    const after = shown(stripHeif(heif(1, "idat", { names, spans })));
    expect(after).toContain(`${PICTURE}\0\0\0\0MM\0*`);
    expect(after).not.toContain("where it was taken");
  });

  it("has no Exif header where there is no room for one", () => {
    const mdat = heif().length - text(`${PICTURE}${EXIF}<x:xmpmeta>Bristol</x:xmpmeta>loose bytes`).length;
    const spans = [
      [mdat, PICTURE.length],
      [mdat + PICTURE.length, 6],
      [mdat + PICTURE.length + 6, 4],
    ];
    expect(shown(stripHeif(heif(1, "mdat", { spans })))).toContain(`${PICTURE}\0\0\0\0\0\0\0\0`);
  });
});

describe("a file that says something impossible", () => {
  const end = heif().length;
  it.each([
    ["nothing", new Uint8Array()],
    ["a word", new Uint8Array(text("heic"))],
    ["no items", new Uint8Array([...box("ftyp", text("heic")), ...box("mdat", text("x"))])],
    ["an Exif for its picture", heif(1, "mdat", { primary: 2 })],
    ["a picture that is not there", heif(1, "mdat", { primary: 9 })],
    ["a picture of another kind", heif(1, "mdat", { names: ["av01", "Exif", "mime"] })],
    [
      "an Exif inside the picture",
      heif(1, "mdat", {
        spans: [
          [end - 60, 40],
          [end - 50, 10],
          [end - 9, 4],
        ],
      }),
    ],
    [
      "a picture inside the Exif",
      heif(1, "mdat", {
        spans: [
          [end - 50, 10],
          [end - 60, 40],
          [end - 9, 4],
        ],
      }),
    ],
    [
      "a picture behind the end",
      heif(1, "mdat", {
        spans: [
          [end - 1, 2],
          [end - 9, 4],
          [end - 9, 4],
        ],
      }),
    ],
    [
      "a picture far away",
      heif(2, "mdat", {
        spans: [
          [2 ** 52, 2],
          [end - 9, 4],
          [end - 9, 4],
        ],
      }),
    ],
    [
      "a picture without a length",
      heif(1, "mdat", {
        spans: [
          [end - 60, 0],
          [end - 9, 4],
          [end - 9, 4],
        ],
      }),
    ],
    [
      "an Exif in the list of items",
      heif(1, "mdat", {
        spans: [
          [end - 60, 4],
          [40, 20],
          [end - 9, 4],
        ],
      }),
    ],
    ["a box that is too long", heif(1, "mdat", { extra: [...u32(9_999), ...text("free")] })],
    ["a box that is too short", heif(1, "mdat", { extra: [...u32(4), ...text("free")] })],
    ["a box shorter than its head", heif(1, "mdat", { extra: [...u32(1), ...text("free"), ...u64(12)] })],
    [
      "a box of 2^63 bytes",
      heif(1, "mdat", { extra: [...u32(1), ...text("free"), 128, ...u64(0).slice(1)] }),
    ],
    ["two lists of items", heif(1, "mdat", { extra: box("meta", [0, 0, 0, 0]) })],
    ["a million boxes", heif(1, "mdat", { extra: Array.from({ length: 5_000 }, () => box("free")).flat() })],
  ])("is refused: %s", (_, file) => expect(stripHeif(file)).toBeNull());

  it("keeps nothing that it should not, whatever byte is wrong", () => {
    const at = fc.integer({ min: 0, max: HEIC.length - 1 });
    fc.assert(
      fc.property(at, fc.integer({ min: 0, max: 255 }), (place, value) => {
        const broken = new Uint8Array(HEIC);
        broken[place] = value;
        const left = stripHeif(broken);
        if (left === null) return;
        expect(left.length).toBe(HEIC.length);
        expect(shown(left)).not.toMatch(/Camera|Bristol/);
      }),
      seeded(1_000),
    );
  });

  it("is read or refused when it is cut off anywhere", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: HEIC.length }), (length) => {
        const left = stripHeif(HEIC.slice(0, length));
        expect(left === null || left.length === length).toBe(true);
      }),
      seeded(200),
    );
  });
});
