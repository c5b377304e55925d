import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { chain, signedText } from "../../../server/engines/allergens/rules/history-chain.ts";

const ENTRIES = [
  { id: "hst_1", at: "2026-06-01T09:00:00.000Z", added: ["milk"] },
  { id: "hst_2", at: "2026-06-02T09:00:00.000Z", added: [] },
  { id: "hst_3", at: "2026-06-03T09:00:00.000Z", added: ["sesame"] },
];
const hashes = (entries: readonly object[]): string[] => chain(entries).map(({ hash }) => hash);

it("hashes each entry together with all before it", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const first = sha256(`${"0".repeat(64)}\n{"added":["milk"],"at":"2026-06-01T09:00:00.000Z","id":"hst_1"}`);
  expect(hashes(ENTRIES)[0]).toBe(first);
  expect(hashes(ENTRIES)[1]).toBe(
    sha256(`${first}\n{"added":[],"at":"2026-06-02T09:00:00.000Z","id":"hst_2"}`),
  );
});

it("gives another hash from a changed, removed or moved entry on, and the same for members in another order", () => {
  const right = hashes(ENTRIES);
  const [a, b, c] = ENTRIES;
  const changed = hashes(ENTRIES.map((entry) => (entry === b ? { ...entry, added: ["egg"] } : entry)));
  expect(changed.map((hash, at) => hash === right[at])).toEqual([true, false, false]);
  expect(hashes([a!, c!]).at(-1)).not.toBe(right.at(-1));
  expect(hashes([b!, a!, c!]).at(-1)).not.toBe(right.at(-1));
  const turned = ENTRIES.map((entry) => Object.fromEntries(Object.entries(entry).toReversed()));
  expect(hashes(turned)).toEqual(right);
});

it("signs the number of entries too: a sheet cut short is another text", () =>
  expect(signedText("prd_1", 2, "ab")).not.toBe(signedText("prd_1", 3, "ab")));
