import { convert } from "xmlbuilder2";
import { describe, expect, it } from "vitest";

import { renderBadge, starText } from "../../../server/engines/reviews/rules/render-badge.ts";

describe("the badge of a target", () => {
  it("is well-formed, and says in words what the stars show", () => {
    const svg = renderBadge({ value: 4.3, label: "4.3 of 5", text: `12 "reviews" & <more>` });
    expect(() => convert(svg, { format: "object", wellFormed: true })).not.toThrow();
    expect(svg).toContain("<title>4.3 of 5 · 12 &quot;reviews&quot; &amp; &lt;more&gt;</title>");
    expect(svg).toContain('<rect x="3" y="0" width="94.6"');
  });

  it("never draws more than five stars", () => {
    expect(renderBadge({ value: 9, label: "", text: "" })).toContain('width="110.0"');
    expect([starText(0), starText(4.3), starText(5)]).toEqual(["☆☆☆☆☆", "★★★★☆", "★★★★★"]);
  });
});
