import { describe, expect, it } from "vitest";

import { createCursorCodec } from "../../server/core/cursor.ts";
import {
  createNewId,
  createSystemRandom,
  derivedId,
  equalSecrets,
  invertedOrder,
} from "../../server/core/ids.ts";
import { createTestClock } from "../harness.ts";

describe("ids", () => {
  it("ascend, also within one millisecond and when the clock steps back", () => {
    const clock = createTestClock();
    const newId = createNewId(clock, createSystemRandom());
    const made = Array.from({ length: 1000 }, (_, index) => {
      if (index === 500) clock.advance(-5000);
      return newId("x");
    });
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(1000);
  });

  it("descend when inverted, and an id without a ULID has no order", () => {
    const clock = createTestClock();
    const newId = createNewId(clock, createSystemRandom());
    const made = Array.from({ length: 200 }, () => {
      clock.advance(7);
      return invertedOrder(newId("abc_d"));
    });
    expect(made).toEqual([...made].sort().toReversed());
    expect(invertedOrder("gb-eng")).toBe("");
  });

  it("derive alike from like parts and apart from others", () => {
    const secret = new Uint8Array(32).fill(7);
    const id = derivedId("cus", secret, ["a@b.example", "shop"]);
    expect(id).toMatch(/^cus_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(derivedId("cus", secret, ["a@b.example", "shop"])).toBe(id);
    expect(derivedId("cus", secret, ["a@b.exampleshop", ""])).not.toBe(id);
    expect(derivedId("cus", new Uint8Array(32), ["a@b.example", "shop"])).not.toBe(id);
  });

  it("compare secrets of any length", () => {
    expect(equalSecrets("abc", "abc")).toBe(true);
    expect(equalSecrets("abc", "abcd")).toBe(false);
  });
});

describe("a cursor", () => {
  it("opens where it was signed and nowhere else, whole or not at all", () => {
    const cursors = createCursorCodec(new Uint8Array(32).fill(1));
    const signed = cursors.sign("list", "part", "@after~x");
    expect(cursors.open("list", "part", signed)).toBe("@after~x");
    for (const bad of [signed.slice(0, -1), `${signed}A`, `A${signed.slice(1)}`, "", "x"]) {
      expect(() => cursors.open("list", "part", bad), bad).toThrow(/invalid/);
    }
    expect(() => cursors.open("other", "part", signed)).toThrow(/invalid/);
    const others = createCursorCodec(new Uint8Array(32).fill(2));
    expect(() => others.open("list", "part", signed)).toThrow(/invalid/);
  });
});
