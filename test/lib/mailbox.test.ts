import { expect, it } from "vitest";

import { mailboxOf } from "../../server/lib/mailbox.ts";

it.each([
  ["ada@shop.example", "ada@shop.example"],
  ["ada+orders@shop.example", "ada@shop.example"],
  ["a.d.a+x+y@gmail.com", "ada@gmail.com"],
  ["a.da@googlemail.com", "ada@gmail.com"],
  ["a.da@shop.example", "a.da@shop.example"],
])("finds the mailbox of %s", (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
});
