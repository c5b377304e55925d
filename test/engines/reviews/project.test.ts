import { expect, it } from "vitest";

import { toPublicReview } from "../../../server/engines/reviews/rules/project.ts";
import { PublicReview } from "../../../server/engines/reviews/schema.ts";
import { makeReview } from "./make.ts";

it("shows what is published and nothing of the person", () => {
  for (const status of ["pending", "spam", "rejected", "withdrawn", "erased", "unconfirmed"] as const) {
    expect(toPublicReview(makeReview({ status })), status).toBeNull();
  }
  expect(toPublicReview(makeReview({ erase_asked: true }))).toBeNull();
  const shown = toPublicReview(
    makeReview({
      email: "secret@x.example",
      author: { display_name: "SECRET", customer_id: "SECRET", is_anonymous: true, location: "SECRET" },
      verification: { level: "verified_buyer", method: "email", order_id: "SECRET", at: null },
      moderation: { reason: null, note: "SECRET", by: "SECRET", at: null, risk: 7, signals: [] },
      reply: { body: "SECRET", by: "x", at: "2026-06-01T09:00:00.000Z", status: "hidden" },
      incentive: { type: "coupon", note: "SECRET" },
      media: [{ id: "m", type: "image", url: "https://x.example/SECRET", alt: "", status: "pending" }],
    }),
  );
  expect(JSON.stringify(shown)).not.toMatch(/secret/i);
  expect(PublicReview.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({ author: { display_name: "Anonymous" }, incentive: { type: "coupon" } });
});
