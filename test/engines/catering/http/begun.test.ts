import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { accountBody, createShop, line, refusal, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe("an event that has begun", () => {
  it("takes no yes to its quote, however long that was to be valid", async () => {
    const { link, quote } = await sendQuote(shop, { valid_until: "2026-07-30T09:00:00.000Z" });
    expect(quote.valid_until).toBe("2026-06-19T11:30:00.000Z");
    shop.harness.clock.set(quote.valid_until);
    const yes = { version: 1, hash: quote.hash, name: "Ada", email: "ada@office.example" };
    expect(refusal(await shop.post(`/quotes/${quote.id}/accept`, yes))).toBe("409 expired");
    expect((await shop.visit(link)).status).toBe(410);
  });

  it.each([{ confirmed: true }, { headcount: 12 }])("is not ordered any more by %o", async (change) => {
    const account = await shop.make("/accounts", accountBody({ credit_limit: 10_000 }));
    const { id } = await shop.make("/recurring-orders", {
      account_id: account.id,
      title: "Tuesday lunch",
      dtstart: "2026-06-09T12:30",
      rrule: "FREQ=WEEKLY;BYDAY=TU",
      lines: [line(1000)],
      default_heads: 20,
      approval_mode: "confirmed" in change ? "confirm_each" : "auto",
    });
    shop.harness.clock.set("2026-06-05T11:00:00.000Z");
    await shop.run(workRecurring);
    const [occurrence] = await shop.read(`/recurring-orders/${id}/occurrences`);
    expect(occurrence.state).toBe("counted");
    await shop.patch(`/accounts/${account.id}`, { credit_limit: 1_000_000 });
    shop.harness.clock.set("2026-06-09T11:30:00.000Z");
    const answer = await shop.patch(`/recurring-orders/${id}/occurrences/${occurrence.id}`, change);
    expect(refusal(answer)).toBe("409 invalid_transition");
    expect(await shop.read("/orders")).toEqual([]);
  });
});
