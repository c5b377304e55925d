import { expect, it } from "vitest";

import { movementsOf, statement } from "../../../server/engines/catering/rules/statement.ts";
import { invoice } from "./make.ts";

const pay = (at: string, amount: number) => ({
  id: "pay_1",
  at,
  amount,
  method: "bank_transfer" as const,
  reference: "BACS",
});
const known = [
  invoice({
    id: "civ_1",
    number: 1,
    issued_on: "2026-04-20",
    total: 10_000,
    payments: [pay("2026-05-10T12:00:00.000Z", 10_000)],
  }),
  // Midnight in London is still the day before in UTC.
  invoice({
    id: "civ_2",
    number: 2,
    issued_on: "2026-05-31",
    total: 5000,
    prepaid: 1000,
    payments: [pay("2026-05-31T23:30:00.000Z", 500)],
  }),
  invoice({
    id: "civ_3",
    number: 3,
    issued_on: "2026-05-05",
    total: 700,
    balance: 700,
    status: "written_off",
    closed_on: "2026-05-20",
  }),
  invoice({ id: "civ_4", status: "void", issued_on: "2026-05-05" }),
  invoice({ id: "civ_5", status: "draft", number: null, issued_on: null }),
];

it("keeps an invoice that is made void in the months before", () => {
  const issued = { issued_on: "2026-05-05", total: 900, prepaid: 200, balance: 700 };
  const entriesOf = (more: object, month: string) => {
    const moves = movementsOf(invoice({ ...issued, ...more }), "Europe/London");
    const { closing, entries, opening } = statement(moves, { from: `${month}-01`, to: `${month}-31` });
    return [opening, ...entries.map(({ amount, kind }) => `${kind} ${amount}`), closing];
  };
  const may = [0, "invoice 900", "payment -200", 700];
  expect(entriesOf({}, "2026-05")).toEqual(may);
  const voided = { status: "void", closed_on: "2026-07-02" } as const;
  expect(entriesOf(voided, "2026-05")).toEqual(may);
  expect(entriesOf(voided, "2026-07")).toEqual([700, "void -700", 0]);
});

it("carries the balance from day to day", () => {
  const moves = known.flatMap((one) => movementsOf(one, "Europe/London"));
  const may = statement(moves, { from: "2026-05-01", to: "2026-05-31" });
  expect([may.opening, may.closing]).toEqual([10_000, 4000]);
  expect(may.entries.map(({ amount, balance, date, kind }) => [date, kind, amount, balance])).toEqual([
    ["2026-05-05", "invoice", 700, 10_700],
    ["2026-05-10", "payment", -10_000, 700],
    ["2026-05-20", "write_off", -700, 0],
    ["2026-05-31", "invoice", 5000, 5000],
    ["2026-05-31", "payment", -1000, 4000],
  ]);
  const june = statement(moves, { from: "2026-06-01", to: "2026-06-30" });
  expect([june.opening, june.closing]).toEqual([4000, 3500]);
});
