import { describe, expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import { copyForSender, copyForShop, copyOfConsents } from "../../../server/engines/forms/rules/mail-copy.ts";
import { field, options } from "./make.ts";

const fields = [
  field("title", { type: "heading" }),
  field("name", { type: "name", label: "Name" }),
  field("text", { type: "textarea", label: "Text" }),
  field("food", { type: "select", label: "Food", options: [{ value: "l", label: "Lunch" }] }),
  field("diet", { type: "multiselect", label: "Diet", options: options("vegan") }),
  field("guests", { type: "integer", label: "Guests" }),
  field("ok", { type: "boolean", label: "Fine" }),
];
const data = {
  name: "buy at evil.example",
  text: "http://evil.example",
  food: "l",
  diet: ["vegan"],
  guests: 4,
  ok: true,
};

const words = wordsIn("en-GB");

describe("copies of answers in mails", () => {
  it("says yes and no in the language of the mail", () => {
    const [fine] = copyForSender([field("ok", { type: "boolean" })], { ok: true }, wordsIn("de"));
    expect(fine?.value).toBe("Ja");
  });

  it("sends nothing back that somebody typed", () => {
    const copy = copyForSender(fields, data, words);
    expect(copy.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      "Food: Lunch",
      "Diet: VEGAN",
      "Guests: 4",
      "Fine: Yes",
    ]);
    expect(JSON.stringify(copy)).not.toContain("evil");
  });

  it("tells the shop everything", () => {
    expect(copyForShop(fields, data, words).map(({ label }) => label)).toEqual([
      "Name",
      "Text",
      "Food",
      "Diet",
      "Guests",
      "Fine",
    ]);
  });

  it("shows the shop amounts as a person writes them, not minor units", () => {
    const budget = field("budget", { type: "currency", label: "Budget", currency: "EUR" });
    expect(copyForShop([budget], { budget: 125_050 }, words)).toEqual([
      { label: "Budget", value: "1250.50 EUR" },
    ]);
  });

  it("tells the shop which consents were given", () => {
    const consents = ["terms", "news"].map((key) => ({ key, text: key, required: false, version: "1" }));
    expect(copyOfConsents(consents, [{ key: "terms" }], words)).toEqual([
      { label: "terms", value: "Yes" },
      { label: "news", value: "No" },
    ]);
  });
});
