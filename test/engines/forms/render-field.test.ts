import { describe, expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import {
  attribute,
  renderConsent,
  renderField,
  typedAnswer,
} from "../../../server/engines/forms/rules/render-field.ts";
import { compileField, NO_WORDS } from "../../../server/engines/forms/rules/compile-field.ts";
import type { Fault } from "../../../server/engines/forms/schema/submission.ts";
import { field } from "./make.ts";

const rendering = { words: wordsIn("en"), prefix: "p", values: {}, faults: [] };

describe("a field as HTML", () => {
  it("shows amounts as they are typed, whether they are defaults or stored", () => {
    const budget = field("budget", { type: "currency", currency: "EUR", default: 1250 });
    expect(renderField(budget, rendering, false).html).toContain('value="12.50"');
    expect([typedAnswer(budget, 900), typedAnswer(field("n"), 900)]).toEqual(["9.00", 900]);
  });

  it.each([
    [1, 2, "2"],
    [10, 5, "10"],
    [12, 5, "15"],
    [0.3, 0.1, "0.3"],
    [-3, 2, "-2"],
  ])("from %d in steps of %d begins at the multiple that is accepted", (min, step, shown) => {
    const count = field("count", { type: "number", min, step });
    expect(renderField(count, rendering, false).html).toContain(` min="${shown}" step="${step}"`);
    expect(compileField(count, NO_WORDS)?.safeParse(Number(shown)).success).toBe(true);
  });

  it("does not ask for a file that was uploaded in an earlier step", () => {
    const plan = field("plan", { type: "file", required: true });
    expect(renderField(plan, rendering, false).html).toContain(" required");
    expect(renderField(plan, { ...rendering, values: { plan: ["upl_1"] } }, false).html).not.toContain(
      " required",
    );
  });

  it("says in the legend that one of several checkboxes is required, in the language of the form", () => {
    const options = ["a", "b"].map((value) => ({ value, label: value }));
    const render = (locale: string, isConditional: boolean) =>
      renderField(
        field("extras", { type: "checkbox", options, required: true }),
        { ...rendering, words: wordsIn(locale) },
        isConditional,
      ).html;
    expect(render("en", false)).toContain('<span role="img" aria-label="required">*</span></legend>');
    expect(render("de", false)).toContain('aria-label="erforderlich"');
    expect(render("en", true)).not.toContain("*");
  });

  it.each([
    [
      "an address",
      "home",
      (faults: Fault[]) => renderField(field("home", { type: "address" }), { ...rendering, faults }, false),
    ],
    [
      "a consent",
      "consent-privacy",
      (faults: Fault[]) =>
        renderConsent(
          { key: "privacy", text: "Read it", required: true, version: "1" },
          { ...rendering, faults },
        ),
    ],
  ])("names the fault of %s at its controls", (_, id, render) => {
    const faults = ["home", "privacy"].map((key) => ({ field: key, code: "invalid", message: "Not so" }));
    const shown = render(faults).html;
    expect(shown).toContain(`id="p-${id}-fault"`);
    const inputs = shown.match(/<input[^>]*>/g) ?? [];
    expect(inputs.length).toBeGreaterThan(0);
    for (const input of inputs)
      expect(input).toContain(` aria-describedby="p-${id}-fault" aria-invalid="true"`);
  });

  it("has the fault of a consent beside it", () => {
    const consent = { key: "privacy", text: "Read it", required: true, version: "1" };
    const faults = [{ field: "privacy", code: "required", message: "Tick it" }];
    expect(renderConsent(consent, { ...rendering, faults }).html).toContain("Tick it");
    expect([attribute("a", null), attribute("a", `"`)?.html]).toEqual([null, ' a="&quot;"']);
  });
});
