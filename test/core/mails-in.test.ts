import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";

import {
  ERASED_EMAIL,
  mailsIn,
  mailsInJson,
  withoutMail,
  withoutOtherMails,
} from "../../server/core/personal.ts";

/** What an address is, as one pattern. */
const ADDRESS = /[A-Za-z0-9_+][A-Za-z0-9._%+'-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g;

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

it("finds an address after a line break, a quotation mark and a dash", () => {
  const note = "Contact:\nann@x.example\ttel 1\r\n'ben@x.example'\n-cem@x.example \\ned@x.example";
  const people = ["ann@x.example", "ben@x.example", "cem@x.example", "ned@x.example"];
  expect(mailsIn(note)).toEqual(people);
  expect(mailsInJson(JSON.stringify({ note }))).toEqual(people);
});

it("removes an address, and not those that contain it", () => {
  const note = "ann@x.example, joann@x.example; Ann@X.example.org\nANN@x.example.";
  expect(withoutMail({ note }, "Ann@x.example")).toEqual({
    note: `${ERASED_EMAIL}, joann@x.example; Ann@X.example.org\n${ERASED_EMAIL}.`,
  });
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
