import { describe, expect, it } from "vitest";

import { mapQuote } from "../../../server/engines/forms/rules/map-quote.ts";
import { field } from "./make.ts";

const contact = { name: "Ada", email: "ada@shop.example", phone: "+442079460018" };
const mapping = {
  date: "when",
  guests: "guests",
  address: "where",
  items: "food",
  dietary: "diet",
  budget: "money",
  message: "text",
};

describe("a quote request from answers", () => {
  it("takes what the form maps, and who sent it", () => {
    const data = {
      when: "2026-06-19T12:30",
      guests: 40,
      where: { line1: "1 Mare Street", city: "London", postcode: "E8 3PH" },
      food: ["Lunch", "Tea"],
      diet: "vegan, halal\nnuts",
      money: 60_000,
      text: "Hello",
    };
    expect(mapQuote({ mapping, currency: "GBP" }, data, contact)).toEqual({
      customer: { name: "Ada", email: "ada@shop.example", phone: "+442079460018", company: null },
      event: {
        date: "2026-06-19",
        time: "12:30",
        guests: 40,
        postcode: "E8 3PH",
        address: "1 Mare Street, London, E8 3PH",
      },
      items: [
        { ref: null, name: "Lunch", qty: 1 },
        { ref: null, name: "Tea", qty: 1 },
      ],
      dietary: ["vegan", "halal", "nuts"],
      allergens: [],
      budget: { minor: 60_000, currency: "GBP" },
      message: "Hello",
    });
  });

  it.each([
    ["1,200", 1200],
    ["about 40", null],
    ["40 to 50", 40],
  ])("reads the guests of a text: %s", (guests, expected) => {
    const { event } = mapQuote({ mapping, currency: "GBP" }, { guests }, contact);
    expect(event.guests).toBe(expected);
  });

  it("reads guests and time of an option by its label, as the customer did", () => {
    const option = (key: string, value: string, label: string) => {
      const fields = [field(key, { type: "select", options: [{ value, label }] })];
      const mapped = mapQuote(
        { mapping: { guests: "guests", time: "time" }, currency: "GBP", fields },
        { [key]: value },
        contact,
      );
      return [mapped.event.guests, mapped.event.time];
    };
    expect(option("guests", "n1", "40")).toEqual([40, null]);
    expect(option("guests", "1", "40 to 60 people")).toEqual([40, null]);
    expect(option("guests", "40", "Forty")).toEqual([40, null]);
    expect(option("time", "t1", "12:30")).toEqual([null, "12:30"]);
    expect(option("time", "12:30", "Lunchtime")).toEqual([null, "12:30"]);
  });

  it("cuts no allergen off, and says where there are more than the request lists", () => {
    const mapped = (text: string) =>
      mapQuote({ mapping: { allergens: "text" }, currency: "GBP" }, { text }, contact).allergens;
    const severe = mapped(
      "One guest reacts severely, even to traces: peanuts, and anything with sesame in it",
    );
    expect(severe).toEqual([
      "One guest reacts severely",
      "even to traces: peanuts",
      "and anything with sesame in it",
    ]);
    expect(mapped("Severe anaphylactic reaction possible to peanuts")).toEqual([
      "Severe anaphylactic reaction possible to",
      "peanuts",
    ]);
    expect(mapped("x".repeat(90)).map(({ length }) => length)).toEqual([40, 40, 10]);
    const many = mapped(Array.from({ length: 31 }, (_, at) => `code ${at}`).join());
    expect([many.length, many.at(-2), many.at(-1)]).toEqual([
      30,
      "code 28",
      "… (the submission has all of them)",
    ]);
  });

  it("cuts neither the end of a message nor wishes off unsaid", () => {
    const text = `${"x".repeat(9_000)} no nuts`;
    const food = Array.from({ length: 31 }, (_, at) => `Cake ${at}`);
    const { items, message } = mapQuote({ mapping, currency: "GBP" }, { text, food }, contact);
    expect(message).toBe(text);
    expect([items.length, items.at(-2)?.name, items.at(-1)?.name]).toEqual([
      30,
      "Cake 28",
      "… (the submission has all of them)",
    ]);
    const long = mapQuote({ mapping, currency: "GBP" }, { food: ["x".repeat(201)] }, contact).items;
    expect(long[0]?.name).toMatch(/^x{199}…$/);
  });

  it("leaves empty what cannot be read", () => {
    const data = { when: "soon", guests: "about forty", money: "lots" };
    const mapped = mapQuote({ mapping, currency: "GBP" }, data, {
      name: null,
      email: "no address",
      phone: null,
    });
    expect(mapped).toMatchObject({
      customer: { name: "", email: null },
      event: { date: null, guests: null },
      budget: null,
      items: [],
    });
  });

  it.each([
    ["2026-02-31", "29:30"],
    ["2026-99-99", "24:00"],
    ["2026-06-19x", "12:60"],
  ])("takes no day or time that there is not: %s %s", (when, hour) => {
    const { event } = mapQuote(
      { mapping: { date: "when", time: "hour" }, currency: "GBP" },
      { when, hour },
      contact,
    );
    expect(event).toMatchObject({ date: when.endsWith("x") ? "2026-06-19" : null, time: null });
  });
});
