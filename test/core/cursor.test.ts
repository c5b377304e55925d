import { describe, expect, it } from "vitest";

import { createCursorCodec } from "../../server/core/cursor.ts";
import { Problem } from "../../server/lib/errors.ts";

const cursors = createCursorCodec(new Uint8Array(32).fill(7));

/** Marks of the kinds of places: ids, index entries and their orders. */
const PLACES = Array.from({ length: 2000 }, (_, index) => `cus_X${index}@998204089599999~${index}`);

describe("cursors", () => {
  it("open to the place that was signed, and never begin with the dash of an option", () => {
    for (const after of PLACES) {
      const cursor = cursors.sign("list", "s1", after);
      expect(cursor).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]+$/);
      expect(cursors.open("list", "s1", cursor)).toBe(after);
    }
  });

  it("422 of another list or store, of another spelling, and cut", () => {
    const cursor = cursors.sign("list", "s1", "cus_1");
    const other = createCursorCodec(new Uint8Array(32).fill(8));
    const refused = [
      () => cursors.open("other", "s1", cursor),
      () => cursors.open("list", "s2", cursor),
      () => other.open("list", "s1", cursor),
      () => cursors.open("list", "s1", `${cursor}=`),
      () => cursors.open("list", "s1", cursor.slice(1)),
      () => cursors.open("list", "s1", cursor.slice(0, -1)),
      () => cursors.open("list", "s1", `${cursor.slice(0, -16)}=${cursor.slice(-16)}`),
      () => cursors.open("list", "s1", ""),
    ];
    for (const open of refused) expect(open).toThrow(Problem);
  });
});
