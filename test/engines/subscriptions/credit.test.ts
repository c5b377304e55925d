import { expect, it } from "vitest";

import { creditAfter, creditOf } from "../../../server/engines/subscriptions/rules/credit.ts";

const part = (tax_rate_bps: number, net: number, tax: number) => ({ tax_rate_bps, net, tax });
const wine = part(2000, 1250, 250);
const bread = part(0, 500, 0);

it("a credit has the tax of the goods that were given up, less that of those that came", () => {
  const given = creditOf(1000, undefined, { add: [wine], less: [bread] });
  expect(given).toEqual({ credit: 1000, credit_taxes: [part(0, -500, 0), wine] });
  const used = creditOf(400, given.credit_taxes);
  expect(used.credit_taxes).toEqual([part(0, -200, 0), part(2000, 500, 100)]);
  const left = creditAfter(given, { credit_applied: 400, credit_taxes: used.credit_taxes });
  expect(left).toEqual({ credit: 600, credit_taxes: [part(0, -300, 0), part(2000, 750, 150)] });
  expect(creditAfter(left, { credit_applied: 600, credit_taxes: left.credit_taxes }).credit_taxes).toEqual(
    [],
  );
});

it("what is known of the rates of a credit is used first, and never more than it", () => {
  const { credit_taxes: taxes } = creditOf(2000, [wine]);
  expect(taxes).toEqual([wine]);
  expect(creditOf(1700, taxes).credit_taxes).toEqual([wine]);
  expect(creditOf(750, taxes).credit_taxes).toEqual([part(2000, 625, 125)]);
  expect(creditOf(0, taxes).credit_taxes).toEqual([]);
});
