import { fileTypeFromBuffer } from "file-type";
import { describe, expect, it } from "vitest";

import { judgeFile, shownName } from "../../../server/engines/forms/rules/sniff-file.ts";
import { HEIC, PNG } from "./files.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const judge = async (bytes: Uint8Array, name: string, accept?: ("png" | "pdf")[]) =>
  judgeFile({ bytes, name }, (await fileTypeFromBuffer(bytes))?.mime, accept);

describe("A27: a file is what its bytes are", () => {
  it("takes a PNG called menu.pdf as a PNG", async () => {
    const png = { ok: true, kind: "png", mime: "image/png", cleaning: "redraw" };
    expect(await judge(PNG, "menu.pdf")).toEqual(png);
    expect(await judge(HEIC, "menu.pdf")).toMatchObject({ ok: true, kind: "heic", cleaning: "strip" });
  });

  it.each([
    ["HTML", bytesOf("<!doctype html><script>alert(1)</script>"), "page.html"],
    ["HTML called .txt", bytesOf("<b>hi</b>"), "page.txt"],
    ["SVG", bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), "logo.svg"],
    [
      "SVG with a declaration",
      bytesOf('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
      "logo.png",
    ],
    ["a program", new Uint8Array([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0]), "menu.txt"],
    ["text without a name for it", bytesOf("soup"), "menu"],
    ["text that is not UTF-8", new Uint8Array([0xff, 0xfe, 0x41]), "menu.txt"],
    ["text with a zero byte", bytesOf("a\0b"), "menu.csv"],
  ])("refuses %s", async (_, bytes, name) => expect((await judge(bytes, name)).ok).toBe(false));

  it("takes plain csv and txt, and only what the field takes", async () => {
    expect(await judge(bytesOf("a,b\n1,2\n"), "Guests.CSV")).toMatchObject({
      ok: true,
      kind: "csv",
      mime: "text/csv",
    });
    expect(await judge(bytesOf("soup"), "menu.txt")).toMatchObject({ ok: true, kind: "txt" });
    expect(await judge(PNG, "a.png", ["pdf"])).toMatchObject({
      ok: false,
      values: { types: "pdf" },
    });
  });

  it("shows a name without its folders and tricks", () => {
    expect(shownName("C:\\x\\menu.pdf")).toBe("menu.pdf");
    expect(shownName("../../etc/passwd")).toBe("passwd");
    expect(shownName("a\r\nb\u202e.txt")).toBe("ab.txt");
    expect(shownName("")).toBe("file");
    expect(shownName(`${"a".repeat(199)}\u{1f35e}.txt`)).toBe("a".repeat(199));
  });
});
