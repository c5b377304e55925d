import { describe, expect, it } from "vitest";

import {
  nodesOf,
  scriptElement,
  scriptText,
  typesOf,
  valuesAt,
} from "../../../server/engines/answeros/rules/json-ld.ts";

describe("A28: JSON-LD in a script element", () => {
  const text = "bad </script><script>alert(1)</script> & <b>";
  it("escapes what could end the element", () => {
    expect(scriptText(text)).toBe(
      '"bad \\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e \\u0026 \\u003cb\\u003e"',
    );
  });
  it("reads back as what it was", () => {
    const value = { "@type": "Review", reviewBody: `${text}\u2028\u2029<!--` };
    expect(JSON.parse(scriptText(value))).toEqual(value);
    expect(scriptText(value)).not.toMatch(/[<>&\u2028\u2029]/);
  });
  it("stands in one element", () => {
    expect(scriptElement({ a: "</script>" }).match(/<\/?script/g)).toHaveLength(2);
  });
});

const document = {
  "@graph": [
    {
      "@type": ["schema:Product", "Thing"],
      offers: [{ "@type": "http://schema.org/Offer", price: 1 }, { price: 2 }],
    },
  ],
};

it("walks through graphs and lists", () => {
  expect(nodesOf(document).map(({ path, types }) => [path, types])).toEqual([
    ["/@graph/0", ["Product", "Thing"]],
    ["/@graph/0/offers/0", ["Offer"]],
  ]);
  expect(nodesOf("text")).toEqual([]);
});

it("finds values through lists, and no empty ones", () => {
  expect(valuesAt(document["@graph"][0], "offers/price")).toEqual([
    { path: "/offers/0/price", value: 1 },
    { path: "/offers/1/price", value: 2 },
  ]);
  expect(valuesAt({ name: "" }, "name")).toEqual([]);
  expect(valuesAt({ name: null }, "name/first")).toEqual([]);
});

it("takes types that are text alone", () =>
  expect(typesOf({ "@type": [1, "Bakery", null] })).toEqual(["Bakery"]));
