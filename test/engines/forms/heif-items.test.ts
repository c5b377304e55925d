import { describe, expect, it } from "vitest";

import {
  onlyBox,
  readBoxes,
  readItems,
  readPrimary,
  UnsoundFile,
} from "../../../server/engines/forms/rules/strip-heif.ts";
import { box, full, iinf, iloc, infe, pitm, text, u16, u32, u64 } from "./heif.ts";

const boxesOf = (...bytes: readonly (readonly number[])[]) => {
  const file = new Uint8Array(bytes.flat());
  return { file, boxes: readBoxes(file, { start: 0, end: file.length }) };
};

describe("boxes", () => {
  it("have sizes of four bytes, of eight, or reach to the end", () => {
    const large = [...u32(1), ...text("mdat"), ...u64(18), 7, 7];
    const { boxes } = boxesOf(box("ftyp", [1, 2]), large, [...u32(0), ...text("free"), 9]);
    expect(boxes).toEqual([
      { type: "ftyp", start: 0, body: 8, end: 10 },
      { type: "mdat", start: 10, body: 26, end: 28 },
      { type: "free", start: 28, body: 36, end: 37 },
    ]);
    expect(onlyBox(boxes, "mdat").start).toBe(10);
    expect(() => onlyBox(boxes, "meta")).toThrow(UnsoundFile);
  });

  it("without a size are refused inside others", () => {
    const { boxes, file } = boxesOf(box("meta", u32(0), text("free")), box("mdat"));
    const [meta] = boxes;
    expect(() => readBoxes(file, { start: meta?.body ?? 0, end: meta?.end ?? 0 })).toThrow(UnsoundFile);
  });
});

describe("items", () => {
  const read = (...bytes: readonly (readonly number[])[]) => {
    const { boxes, file } = boxesOf(...bytes, box("free", text("0123456789".repeat(9))));
    return readItems(file, boxes);
  };

  it("have a type and places", () => {
    const names = iinf(infe(1, "hvc1"), infe(70_000, "Exif", 3));
    const places = [
      {
        id: 1,
        spans: [
          [20, 4],
          [30, 2],
        ] as const,
      },
      { id: 70_000, spans: [[40, 8]] as const },
      { id: 5, spans: [[50, 1]] as const },
    ];
    expect(read(names, iloc(2, places))).toEqual([
      {
        id: 1,
        type: "hvc1",
        spans: [
          { start: 20, end: 24 },
          { start: 30, end: 32 },
        ],
      },
      { id: 70_000, type: "Exif", spans: [{ start: 40, end: 48 }] },
      { id: 5, type: "", spans: [{ start: 50, end: 51 }] },
    ]);
  });

  it("count from the data of the meta box where they say so", () => {
    const idat = box("idat", text("abcdef"));
    const [one] = read(idat, iinf(infe(1, "grid")), iloc(1, [{ id: 1, method: 1, spans: [[2, 3]] }]));
    expect(one?.spans).toEqual([{ start: 10, end: 13 }]);
  });

  it("add a base to their places", () => {
    const based = full("iloc", 0, [0x44, 0x40], u16(1), u16(1), u16(0), u32(30), u16(1), u32(5), u32(2));
    expect(read(iinf(infe(1, "hvc1")), based)[0]?.spans).toEqual([{ start: 35, end: 37 }]);
  });

  it.each([
    ["one twice", iinf(infe(1, "hvc1"), infe(1, "Exif")), iloc(1, [])],
    [
      "one placed twice",
      iinf(),
      iloc(1, [
        { id: 1, spans: [] },
        { id: 1, spans: [] },
      ]),
    ],
    ["fewer than told", full("iinf", 0, u16(2), infe(1, "hvc1")), iloc(1, [])],
    ["something else among them", iinf(box("free")), iloc(1, [])],
    ["an item inside another", iinf(infe(1, "hvc1")), iloc(1, [{ id: 1, method: 2, spans: [[1, 1]] }])],
    [
      "data of a box that is missing",
      iinf(infe(1, "hvc1")),
      iloc(1, [{ id: 1, method: 1, spans: [[1, 1]] }]),
    ],
    ["an unknown version", iinf(), full("iloc", 3, [0x44, 0], u16(0))],
    ["numbers of three bytes", iinf(), full("iloc", 0, [0x34, 0], u16(1), u16(1), u16(0), u16(1))],
    [
      "sixty thousand places of no bytes",
      iinf(),
      full("iloc", 0, [0, 0], u16(1), u16(1), u16(0), u16(60_000)),
    ],
    ["another file", iinf(), full("iloc", 0, [0x44, 0], u16(1), u16(1), u16(1), u16(0))],
    ["a list that ends early", iinf(), full("iloc", 0, [0x44, 0], u16(3), u16(1))],
  ])("are refused with %s", (_, names, places) => expect(() => read(names, places)).toThrow(UnsoundFile));

  it("name the picture", () => {
    const { boxes, file } = boxesOf(pitm(3));
    expect(readPrimary(file, boxes)).toBe(3);
    const wide = boxesOf(full("pitm", 1, u32(70_000)));
    expect(readPrimary(wide.file, wide.boxes)).toBe(70_000);
  });
});
