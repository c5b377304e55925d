import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";

import { ERASED_EMAIL, mailsIn, withoutOtherMails } from "../../server/core/personal.ts";

/** What an address is, as one pattern. */
const ADDRESS = /[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g;

it("finds the addresses that the pattern describes", () => {
  const text = array(constantFrom("a", "B", "1", ".", "_", "'", "-", "@", "@b.c", " ", '"', "é"));
  assert(
    property(text, (parts) => {
      const joined = parts.join("");
      const expected = (joined.match(ADDRESS) ?? []).map((email) => email.toLowerCase());
      expect(mailsIn(joined)).toEqual([...new Set(expected)]);
    }),
    { numRuns: 2_000 },
  );
});

it("leaves out the address of an erased person", () => {
  expect(mailsIn("ada@x.example erased@erased.invalid Ada@X.example")).toEqual(["ada@x.example"]);
});

it("reads a long text without an address in one pass", () => {
  expect(mailsIn("0".repeat(400_000))).toEqual([]);
  expect(mailsIn(`${"a@".repeat(200_000)}b.c`)).toEqual(["a@b.c"]);
});

it("removes all addresses from the texts of a value but those that are kept", () => {
  const value = { a: ["to Ada@X.example, ben@x.example"], b: "a@b.c<xa@b.cd>", n: 1, "ben@x.example": null };
  expect(withoutOtherMails(value, new Set(["ada@x.example", "xa@b.cd"]))).toEqual({
    a: [`to Ada@X.example, ${ERASED_EMAIL}`],
    b: `${ERASED_EMAIL}<xa@b.cd>`,
    n: 1,
    "ben@x.example": null,
  });
  assert(
    property(array(constantFrom("a", ".", "@", "@b.c", " ", "é")), (parts) => {
      const text = parts.join("");
      expect(mailsIn(withoutOtherMails(text, new Set()))).toEqual([]);
      expect(withoutOtherMails(text, new Set(mailsIn(text)))).toBe(text);
    }),
  );
});
