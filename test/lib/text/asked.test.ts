import { expect, it } from "vitest";

import { askedOf } from "../../../server/lib/text/questions.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";

it.each([
  ["en", "How long does sourdough keep?", "sourdough keep"],
  ["en-GB", "Should bread go into the fridge?", "bread go fridg"],
  ["en", "Which long loaves do you bake?", "long loav bake"],
  // Nothing but asking: then that is what it is about.
  ["en", "How long does it?", "long doe"],
  ["de", "Wie lange hält Brot?", "halt brot"],
])("%s: “%s” asks about %s", async (locale, question, expected) => {
  expect(askedOf(question, await loadLanguage(locale)).stems.join(" ")).toBe(expected);
});
