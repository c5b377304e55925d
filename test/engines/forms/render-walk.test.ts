import { describe, expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import type { StepPage } from "../../../server/engines/forms/rules/render-walk.ts";
import { renderSave, renderStep } from "../../../server/engines/forms/rules/render-walk.ts";
import { REVIEW, openSteps } from "../../../server/engines/forms/rules/walk.ts";
import { DEFAULT_FORM_SETTINGS } from "../../../server/engines/forms/schema.ts";
import { content, field, options } from "./make.ts";

const EVIL = `"><script>alert(1)</script>`;
const words = wordsIn("de");
const form = content({
  fields: [
    field("name", { label: "Name" }),
    field("diet", { type: "multiselect", label: "Diet", options: options("a", "b") }),
    field("home", { type: "address", label: "Home" }),
    field("budget", { type: "currency", label: "Budget", currency: "EUR" }),
    field("plan", { type: "file", label: "Plan" }),
  ],
  steps: [
    { key: "one", title: "One", fields: ["name", "diet", "home"] },
    { key: "two", title: EVIL, fields: ["budget", "plan"] },
  ],
  consents: [{ key: "privacy", text: "Read it", required: true, version: "1" }],
});
const data = {
  name: EVIL,
  diet: ["a", "b"],
  home: { line1: "1 Mare St", city: "Ulm" },
  budget: 12_345,
  plan: ["upl_1"],
};
const stepsOf = (answers: StepPage["data"]) => openSteps(form, answers, "sto");
const page: StepPage = {
  action: "https://api.example/f",
  prefix: "p",
  words,
  token: "t",
  values: { ...data, budget: "123.45", consents: "privacy" },
  faults: [],
  page: "two",
  reviewed: false,
  steps: await stepsOf(data),
  data,
  fileNames: new Map([["upl_1", "plan.png"]]),
  resume: null,
};
const render = (more: Partial<StepPage> = {}): string =>
  runAtOnce(renderStep(form, { ...page, ...more })).html.replaceAll(/\s+/g, " ");

describe("a step of a form as HTML", () => {
  it("carries the answers of the other steps, and of uploads, in hidden inputs", () => {
    const text = render();
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    );
    expect(hidden).toEqual([
      ["name", "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
      ["diet", "a"],
      ["diet", "b"],
      ["home.line1", "1 Mare St"],
      ["home.city", "Ulm"],
      ["plan", "upl_1"],
      ["consents", "privacy"],
      ["_token", "t"],
      ["_step", "two"],
    ]);
    expect(text).not.toContain("<script>");
    expect(text).toContain("Schritt 2 von 3");
    // Files are sent where submissions are counted; other steps are only read.
    expect(text).toContain('enctype="multipart/form-data"');
    expect(text).not.toContain("/f/steps");
    expect(render({ page: "one" })).toContain('formaction="https://api.example/f/steps"');
  });

  it("shows the review in words, with the consents, and a way back to each step", async () => {
    const text = render({ page: REVIEW, reviewed: true, resume: "fsb_1.x" });
    expect(text).toContain("A, B");
    expect(text).toMatch(/123,45\s€/);
    expect(text).toContain("plan.png");
    expect(text).toContain('value="to.one"');
    expect(text).toContain('name="_resume" value="fsb_1.x"');
    expect(text).toContain("Read it");
    expect(text).not.toContain("<script>");
    expect(render({ page: REVIEW, steps: await stepsOf({}), data: {} })).toContain("Keine Angabe");
  });

  it("offers to save only where the form stores what is saved", () => {
    const may = (more: object) =>
      renderSave(content({ settings: { ...DEFAULT_FORM_SETTINGS, ...more } }), words) !== null;
    expect([may({}), may({ allow_partial: true }), may({ allow_partial: true, storage: "none" })]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
