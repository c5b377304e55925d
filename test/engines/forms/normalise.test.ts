import * as fc from "fast-check";
import { getCountries, getExampleNumber } from "libphonenumber-js";
import examples from "libphonenumber-js/examples.mobile.json";
import { describe, expect, it } from "vitest";

import { phoneWriter } from "../../../server/engines/forms/services/phone.ts";
import { lowerDomain, normaliseAnswer } from "../../../server/engines/forms/rules/normalise.ts";
import type { Field } from "../../../server/engines/forms/schema/field.ts";
import { field, how, options } from "./make.ts";

const read = (more: Partial<Field>, raw: unknown) => normaliseAnswer(field("f", more), raw, how);

/** Marks that composing has to put in order, one by one: the work grows with the square of their number. */
const marks = (count: number): string => `a${"\u0315".repeat(count)}${"\u0300".repeat(count)}b`;

it("composes as many marks on a letter as a language has, and leaves more as they are", () => {
  expect(read({}, marks(15))).toBe(`\u00e0${"\u0300".repeat(14)}${"\u0315".repeat(15)}b`);
  expect(read({}, marks(10_000))).toBe(marks(10_000));
});

it("removes control characters and lone surrogates, and keeps one character for a line break", () => {
  // oxlint-disable-next-line no-control-regex
  const removed = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;
  const written = fc.string({
    unit: fc.constantFrom(...Array.from("ab\r\n\t\u0000\u0007\u007f\u001fé🍞"), "\ud83c", "\udf5e"),
  });
  fc.assert(
    fc.property(written, (text) => {
      const expected = text.replaceAll(removed, "").replaceAll("\r\n", "\n").normalize("NFC").trim();
      expect(read({}, text) ?? "").toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

it("leaves an answer ten times as long as any may be as it is, to be refused", () => {
  const long = ` ${"a\u0007".repeat(50_000)}`;
  expect(read({}, long)).toBe(long);
  expect(read({ type: "multiselect", options: options("a") }, ["a ", long])).toEqual(["a", long]);
});

describe("normal forms", () => {
  it.each<[Partial<Field>, unknown, unknown]>([
    [{}, "  Caf\u0065\u0301 \u0007", "Café"],
    [{}, "a\r\nb", "a\nb"],
    [{}, "   ", undefined],
    [{}, null, undefined],
    [{ type: "email" }, " Ada.B@SHOP.Example ", "Ada.B@shop.example"],
    [{ type: "phone" }, "07700 900123", "+447700900123"],
    [{ type: "phone" }, "nonsense", "nonsense"],
    [{ type: "number" }, "12.50", 12.5],
    [{ type: "integer" }, "1e3", "1e3"],
    [{ type: "currency" }, "1,250.5", 125_050],
    [{ type: "currency" }, "1,250", 125_000],
    [{ type: "currency", currency: "INR" }, "1,25,000.50", 12_500_050],
    [{ type: "currency", currency: "EUR" }, "12,50", 1250],
    [{ type: "currency", currency: "EUR" }, "-1.250,5", -125_050],
    [{ type: "currency", currency: "EUR" }, "1,2,3", "1,2,3"],
    [{ type: "currency", currency: "JPY" }, "1250", 1250],
    [{ type: "currency", currency: "JPY" }, "12.5", "12.5"],
    [{ type: "currency" }, 1250, 1250],
    [{ type: "boolean" }, "on", true],
    [{ type: "consent" }, "no", false],
    [{ type: "boolean" }, false, false],
    [{ type: "multiselect", options: options("a") }, "a", ["a"]],
    [{ type: "checkbox", options: options("a") }, ["a", ""], ["a"]],
    [{ type: "checkbox", options: options("a") }, [], undefined],
    [{ type: "datetime" }, "2026-06-19T12:30:00", "2026-06-19T12:30"],
    [{ type: "address" }, { line1: " 1 Mare St ", city: "" }, { line1: "1 Mare St", country: "GB" }],
    [{ type: "address" }, { line1: "", city: "" }, undefined],
    [{ type: "heading" }, "x", undefined],
  ])("%j %j", (more, raw, expected) => expect(read(more, raw)).toEqual(expected));

  it("keeps the local part of an address as it is", () => {
    expect(lowerDomain("A.B@C.DE")).toBe("A.B@c.de");
    expect(lowerDomain("none")).toBe("none");
  });

  it("writes phone numbers of the world as E.164", async () => {
    const write = await phoneWriter([field("p", { type: "phone" })]);
    expect(write("020 7946 0018", "GB")).toBe("+442079460018");
    expect(write("(030) 901820", "DE")).toBe("+4930901820");
    expect(write("+1 212 555 0123", "GB")).toBe("+12125550123");
    expect(write("12", "GB")).toBeNull();
    expect(write("020 7946 0018", "XX")).toBe("+442079460018");
    // Of the shape of a number, but without its area code, or for emergencies.
    for (const short of ["7400", "911", "12345"]) expect(write(short, "GB"), short).toBeNull();
  });

  it("agrees with another library on a number of each region, however it is written", async () => {
    const write = await phoneWriter([field("p", { type: "phone" })]);
    for (const region of getCountries()) {
      const number = getExampleNumber(region, examples);
      const written = [number?.formatNational(), number?.formatInternational(), number?.number];
      expect(
        written.map((text) => write(text ?? "", region)),
        region,
      ).toEqual(written.map(() => number?.number));
    }
  });
});
