import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

import { faultsOf, files, isProse, literals, wordFaults } from "./dialect.ts";

describe("words", () => {
  it("finds the texts", () => expect(files.length).toBeGreaterThan(300));

  it.each(["Tell of an order here", "Where the data lie", "Nothing unless told"])("refuses %j", (text) =>
    expect(isProse(text) ? faultsOf(text) : []).not.toEqual([]),
  );

  it("reads joined literals and templates as one text, and no comment", () =>
    expect(literals(parseAst("// a b\nf('a b ' + `c ${d} e`, { k: 'x' });", { lang: "ts" }))).toEqual([
      "a b c … e",
      "x",
    ]));

  it("are those of the field", () => expect(wordFaults()).toEqual([]));
});
