import { describe, expect, it } from "vitest";

import { MODES } from "../../../server/engines/allergens/data/modes.ts";
import {
  ingredientsHtml,
  labelHtml,
  labelText,
  statementText,
} from "../../../server/engines/allergens/rules/render-label.ts";
import type { PrintedLabel } from "../../../server/engines/allergens/rules/render-label.ts";
import type { LabelParts } from "../../../server/engines/allergens/rules/write-label.ts";

const label: LabelParts = {
  name: `<script>alert("x")</script> & co`,
  segments: [
    { text: "<b>flour</b> (", emphasised: false },
    { text: "wheat", emphasised: true, code: "wheat" },
    { text: ")", emphasised: false },
  ],
  contains: { title: "Contains:", names: ["wheat"] },
  own_statement: null,
  may_contain: { title: "May contain", names: ["peanuts", "sesame"] },
  lint: [],
};

const print = (parts: LabelParts, more: Partial<PrintedLabel> = {}): PrintedLabel => ({
  label: parts,
  locale: "en",
  unverified: false,
  own: "en",
  ...more,
});

describe("render", () => {
  it("says in words and by a pattern that a label is not verified, before and after it", () => {
    const found = labelText(print(label, { unverified: true, locale: "fr" }))
      .trim()
      .split("\n");
    const notice = [
      "*** NOT VERIFIED. DO NOT USE AS A LABEL. ***",
      "*** NON VÉRIFIÉ. NE PAS UTILISER COMME ÉTIQUETTE. ***",
    ];
    expect([...found.slice(0, 2), ...found.slice(-2)]).toEqual([...notice, ...notice]);
    const html = labelHtml(print(label, { unverified: true }), MODES.uk).html;
    expect(html).toContain('class="label unverified"');
    expect(html.match(/Not verified\. Do not use as a label\./g)).toHaveLength(2);
    expect(labelHtml(print(label), MODES.uk).html).not.toContain("erified");
  });

  it("escapes everything but its own emphasis", () => {
    expect(ingredientsHtml(label.segments)).toBe("&lt;b&gt;flour&lt;/b&gt; (<strong>wheat</strong>)");
    const html = labelHtml(print({ ...label, own_statement: "<i>'mine'</i>" }), MODES.us).html;
    expect(html).not.toMatch(/<script|<b>flour|<i>/);
    expect(html).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; co");
    expect(html).toContain("&lt;i&gt;&#39;mine&#39;&lt;/i&gt;");
  });
  it("sets the statement as the mode wants it: au_nz all bold, ca its title", () => {
    expect(labelHtml(print(label), MODES.au_nz).html).toContain("<strong>Contains: wheat.</strong>");
    expect(labelHtml(print(label), MODES.ca).html).toContain("<strong>Contains:</strong> wheat.");
  });
  it("writes capitals for emphasis in plain text", () => {
    expect(labelText(print(label)).split("\n").slice(1)).toEqual([
      "Ingredients: <b>flour</b> (WHEAT).",
      "Contains: wheat.",
      "May contain peanuts, sesame.",
      "",
    ]);
    expect(
      labelText(print({ ...label, segments: [], contains: null, may_contain: null }, { locale: "fr" })),
    ).toBe(`${label.name}\n`);
    expect(statementText({ title: "Peut contenir :", names: ["lait"] })).toBe("Peut contenir : lait.");
  });
});
