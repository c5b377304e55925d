import { describe, expect, it } from "vitest";

import { canonicalText } from "../../../server/engines/menus/rules/canonical.ts";
import {
  CHUNK_CHARS,
  CHUNKS_MAX,
  packText,
  TEXT_BYTES_MAX,
  unpackInThread,
} from "../../../server/engines/menus/rules/pack-tree.ts";
import { COMMIT_BYTES_MAX, DOC_BYTES_MAX } from "../../../server/storage/contract.ts";
import { itemOf, treeOf } from "./fixture.ts";

/** Text that hardly deflates: hexadecimal digits of a linear congruential generator. */
function noise(chars: number): string {
  let state = 12345;
  let text = "";
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, chars);
}

describe("packText", () => {
  it.each([0, 1, 1_000, 400_000])("gives %d characters back as they were", async (chars) => {
    const pieces = packText(noise(chars)) ?? [];
    expect(pieces.length).toBeGreaterThan(0);
    expect((await unpackInThread(pieces)).toString()).toBe(noise(chars));
  });

  it("keeps other alphabets", async () => {
    const text = JSON.stringify({ cy: "Bara â thŷ", ja: "パン", emoji: "🥐" });
    expect((await unpackInThread(packText(text) ?? [])).toString()).toBe(text);
  });

  it("makes pieces that fit into documents, and together into one commit", () => {
    const pieces = packText(noise(800_000)) ?? [];
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(CHUNK_CHARS);
    expect(CHUNK_CHARS).toBeLessThan(DOC_BYTES_MAX - 1_000);
    expect(CHUNK_CHARS * CHUNKS_MAX).toBeLessThan(COMMIT_BYTES_MAX - 50_000);
  });

  it("holds a menu of 2,000 items in two pieces at most", () => {
    const items = Array.from({ length: 2_000 }, (_, at) =>
      itemOf({
        id: `itm_${noise(30 + (at % 7))}${at}`,
        title: { en: `Dish number ${at}`, cy: `Saig rhif ${at}` },
        description: { en: `With ${noise(at % 40)} and the rest of what is in season, made to order.` },
        price: 400 + at,
      }),
    );
    const text = canonicalText(treeOf({ items }));
    expect(text.length).toBeGreaterThan(1_000_000);
    expect((packText(text) ?? []).length).toBeLessThanOrEqual(2);
  });

  it("refuses what takes more", () => {
    expect(packText(noise(2_000_000))).toBeNull();
    expect(packText("a".repeat(TEXT_BYTES_MAX + 1))).toBeNull();
  });
});
