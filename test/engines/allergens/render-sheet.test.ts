import { describe, expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import { renderSheet, renderSheetRow } from "../../../server/engines/allergens/rules/render-sheet.ts";

describe("renderSheet", () => {
  it("says in words what each cell means, and escapes what the shop wrote", () => {
    const cell = (contains: string[], warned: string[], isKnown: boolean) => ({
      contains,
      may_contain: warned,
      isKnown,
    });
    const words = wordsIn("en");
    const { html } = renderSheet(words, {
      title: "<Menu>",
      at: "2026-06-01T09:00:00.000Z",
      columns: [{ title: "milk", codes: new Set(["milk"]) }],
      rows: [
        { title: "A & B", isVerified: true, cells: [cell(["milk"], [], true)] },
        { title: "C", isVerified: true, cells: [cell([], ["milk"], true)] },
        { title: "D", isVerified: true, cells: [cell([], [], true)] },
        { title: "E", isVerified: false, cells: [cell([], [], false)] },
      ].map((row) => renderSheetRow(words, row)),
      qr: null,
    });
    const text = html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain("&lt;Menu&gt;");
    expect(text).toContain(
      "A &amp; B Contains milk C May contain milk D – E (not verified: please ask us) ?",
    );
    expect(html).not.toContain("<img");
  });
});
