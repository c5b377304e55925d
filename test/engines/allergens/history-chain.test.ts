import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import {
  faultOf,
  GENESIS,
  linkAfter,
  signedText,
} from "../../../server/engines/allergens/rules/history-chain.ts";
import type { Link } from "../../../server/engines/allergens/rules/history-chain.ts";

const ENTRIES = [
  { id: "ver_1", at: "2026-06-01T09:00:00.000Z", added: ["milk"] },
  { id: "ver_2", at: "2026-06-02T09:00:00.000Z", added: [] },
  { id: "ver_3", at: "2026-06-03T09:00:00.000Z", added: ["sesame"] },
];
const chain = () => {
  let head: Link = GENESIS;
  return ENTRIES.map((entry) => {
    const linked = linkAfter(head, entry);
    head = linked;
    return linked;
  });
};

it("hashes each entry with its number and the hash of the one before", () => {
  const [first, second] = chain();
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const zeros = "0".repeat(64);
  expect(first?.hash).toBe(
    sha256(
      `{"added":["milk"],"at":"2026-06-01T09:00:00.000Z","id":"ver_1","previous_hash":"${zeros}","seq":1}`,
    ),
  );
  expect(second).toMatchObject({ seq: 2, previous_hash: first?.hash });
});

it("finds a changed, removed or moved entry, and takes members in any order", () => {
  const [a, b, c] = chain();
  if (a === undefined || b === undefined || c === undefined) throw new Error("No chain.");
  expect([faultOf(a, GENESIS), faultOf(b, a), faultOf(c, b)]).toEqual([null, null, null]);
  const changed = { ...b, at: "2026-06-02T09:00:01.000Z" };
  expect(faultOf(changed, a)).toBe("changed");
  expect(faultOf(c, a)).toBe("missing");
  expect(faultOf({ ...c, seq: 2 }, a)).toBe("mismatch");
  expect(faultOf({ ...c, seq: 2, previous_hash: a.hash }, a)).toBe("changed");
  expect(faultOf(Object.fromEntries(Object.entries(b).toReversed()), a)).toBeNull();
});

it("signs the number of entries too: a sheet cut short is another text", () =>
  expect(signedText({ seq: 2, hash: "ab" })).not.toBe(signedText({ seq: 3, hash: "ab" })));
