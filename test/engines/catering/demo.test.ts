import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { DEMO_IDS, DEMO_ORDER } from "../../../server/engines/catering/data/demo-ids.ts";
import { demoCatering } from "../../../server/engines/catering/demo.ts";
import { catering } from "../../../server/engines/catering/index.ts";
import { contentOf } from "../../../server/engines/catering/rules/draft-quote.ts";
import { dueOccurrences, upcomingSteps } from "../../../server/engines/catering/rules/recurring-agenda.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { quoteHash } from "../../../server/engines/catering/rules/quote-hash.ts";
import { ms, noHolidays } from "./make.ts";

const INSTANTS = [
  "2026-06-01T09:00:00Z",
  "2026-12-24T23:30:00Z",
  "2027-03-28T00:30:00Z",
  "2028-10-24T11:40:00Z",
];

describe.each(INSTANTS)("demoCatering at %s", (instant) => {
  const now = ms(instant);
  const demo = demoCatering(now);

  it("is the same each time", () => expect(demoCatering(now)).toEqual(demo));

  it("fits the schemas, with ids of their own", () => {
    for (const { collection, values } of catering.seed(now)) {
      const schema: z.ZodType = collection.schema;
      for (const value of values) expect(schema.parse(value)).toEqual(value);
      expect(new Set(values.map(({ id }) => id)).size).toBe(values.length);
    }
  });

  it("keeps books that agree", () => {
    const account = demo.accounts.find(({ id }) => id === DEMO_IDS.account);
    const owed = demo.invoices
      .filter(({ status }) => status !== "paid")
      .reduce((all, { balance }) => all + balance, 0);
    const unbilled = demo.orders
      .filter(({ invoice_id: id }) => id === null)
      .reduce((all, { balance }) => all + balance, 0);
    expect(account?.exposure).toBe(owed + unbilled);
    expect(account?.exposure).toBeLessThan(account?.credit_limit ?? 0);
    for (const invoice of demo.invoices) {
      expect(invoice.orders.reduce((all, { total }) => all + total, 0)).toBe(invoice.total);
    }
  });

  it("has versions that hash to what quotes say, and an order for the one that was accepted", () => {
    for (const { content, hash, quote_id: id, v } of demo.versions)
      expect(quoteHash(id, v, content)).toBe(hash);
    for (const quote of demo.quotes.filter(({ hash }) => hash !== null)) {
      expect(quoteHash(quote.id, 1, contentOf(quote))).toBe(quote.hash);
    }
    expect(demo.orders.map(({ id }) => id)).toContain(DEMO_ORDER);
  });

  it("counts its numbers, so that the next quote, order and invoice have numbers of their own", () => {
    const last = new Map(demo.counters.map(({ id, last }) => [id, last]));
    for (const kind of ["quotes", "orders", "invoices"] as const) {
      expect(last.get(kind)).toBe(Math.max(...demo[kind].map(({ number }) => number ?? 0)));
    }
  });

  it("leaves the jobs nothing to make up for", () => {
    const world = { now, today: instant.slice(0, 10), holidays: noHolidays };
    for (const order of demo.recurring) {
      const upcoming = runAtOnce(upcomingSteps(order, world));
      expect(dueOccurrences(upcoming, now).length).toBeLessThanOrEqual(1);
    }
    for (const { status, valid_until: until } of demo.quotes.filter(
      ({ status }) => status === "sent" || status === "viewed",
    )) {
      expect([status, ms(until) > now]).toEqual([status, true]);
    }
  });
});
