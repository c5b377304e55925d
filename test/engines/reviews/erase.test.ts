import { expect, it } from "vitest";

import { statsOf } from "../../../server/engines/reviews/rules/aggregate.ts";
import { eraseWords } from "../../../server/engines/reviews/rules/erase.ts";
import { decisionOf } from "../../../server/engines/reviews/rules/tally.ts";
import { Review } from "../../../server/engines/reviews/schema.ts";
import { makeReview } from "./make.ts";

const full = makeReview({
  title: "SECRET",
  body: "SECRET",
  pros: ["SECRET"],
  cons: ["SECRET"],
  remarks: { say: "SECRET" },
  attributes: { crumb: 4 },
  author: { display_name: "SECRET", customer_id: "SECRET", is_anonymous: false, location: "SECRET" },
  email: "secret@x.example",
  email_hash: "SECRET",
  media: [{ id: "m", type: "image", url: "https://x.example/SECRET", alt: "SECRET", status: "published" }],
  moderation: {
    reason: null,
    note: "SECRET",
    by: null,
    at: "2026-06-01T09:00:00.000Z",
    risk: 0,
    signals: [],
  },
  verification: { level: "verified_purchase", method: "invitation", order_id: "SECRET", at: null },
  reply: { body: "SECRET", by: "x", at: "2026-06-01T09:00:00.000Z", status: "published" },
  edits: [
    {
      at: "2026-06-01T09:00:00.000Z",
      by: "author",
      key: null,
      rating: 3,
      title: "SECRET",
      body: "SECRET",
      declined_at: null,
    },
  ],
  source: { system: "x", external_id: "SECRET", displayed_on_page: false },
  translations: { de: { title: "SECRET", body: "SECRET" } },
});

it("leaves nothing of the person, and counts as it did until it is settled", () => {
  const erased = eraseWords(full);
  expect(JSON.stringify(erased)).not.toMatch(/secret/i);
  expect(Review.parse(erased)).toEqual(erased);
  expect(statsOf(erased)).toEqual(statsOf(full));
  expect(decisionOf(erased)).toEqual(decisionOf(full));
});
