import { describe, expect, it } from "vitest";

import { MODES } from "../../../server/engines/allergens/data/modes.ts";
import {
  ingredientsHtml,
  labelHtml,
  labelText,
  statementText,
} from "../../../server/engines/allergens/rules/render-label.ts";
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

describe("render", () => {
  it("escapes everything but its own emphasis", () => {
    expect(ingredientsHtml(label.segments)).toBe("&lt;b&gt;flour&lt;/b&gt; (<strong>wheat</strong>)");
    const html = labelHtml({ ...label, own_statement: "<i>'mine'</i>" }, MODES.us, "en").html;
    expect(html).not.toMatch(/<script|<b>flour|<i>/);
    expect(html).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; co");
    expect(html).toContain("&lt;i&gt;&#39;mine&#39;&lt;/i&gt;");
  });
  it("sets the statement as the mode wants it: au_nz all bold, ca its title", () => {
    expect(labelHtml(label, MODES.au_nz, "en").html).toContain("<strong>Contains: wheat.</strong>");
    expect(labelHtml(label, MODES.ca, "en").html).toContain("<strong>Contains:</strong> wheat.");
  });
  it("writes capitals for emphasis in plain text", () => {
    expect(labelText(label, "en").split("\n").slice(1)).toEqual([
      "Ingredients: <b>flour</b> (WHEAT).",
      "Contains: wheat.",
      "May contain peanuts, sesame.",
      "",
    ]);
    expect(labelText({ ...label, segments: [], contains: null, may_contain: null }, "fr")).toBe(
      `${label.name}\n`,
    );
    expect(statementText({ title: "Peut contenir :", names: ["lait"] })).toBe("Peut contenir : lait.");
  });
});
