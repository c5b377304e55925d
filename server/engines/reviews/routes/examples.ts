import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import type { z } from "zod";

import type { PublicReview, Review } from "../schema.ts";
import type { Aggregate } from "../schema/aggregate.ts";
import type { Invitation, Order } from "../schema/invitation.ts";
import type { Answer, Question } from "../schema/question.ts";

const AT = "2026-06-01T09:00:00.000Z";
const times = { created_at: AT, updated_at: AT };

export const exampleTarget = { type: "product" as const, id: "oat-bar" };

export const exampleReview: z.input<typeof Review> & { version: number } = {
  id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  target: exampleTarget,
  product_name: "Oat bar",
  product_url: "https://bakery.example/products/oat-bar",
  sku: "OAT-1",
  gtin: null,
  mpn: null,
  brand: DEMO_SHOP_NAME,
  rating: 5,
  title: "Good crumb",
  body: "Gone by noon.",
  pros: ["Not too sweet"],
  cons: [],
  attributes: { sweetness: 3 },
  remarks: {},
  recommends: true,
  media: [],
  author: { display_name: "Ada", customer_id: "cus-17", is_anonymous: false, location: "Leeds" },
  email: "ada@shop.example",
  email_hash: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
  locale: "en-GB",
  country: "GB",
  status: "published",
  moderation: {
    reason: null,
    note: "",
    by: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    at: AT,
    risk: 5,
    signals: [{ code: "short", points: 5 }],
  },
  verification: { level: "verified_purchase", method: "invitation", order_id: "1042", at: AT },
  collection_method: "post_fulfillment",
  incentive: { type: "none", note: "" },
  relationship: "none",
  disclosure: null,
  helpful: { up: 4, down: 1, lower_bound: 0.375535 },
  reply: { body: "Thank you, Ada!", by: DEMO_SHOP_NAME, at: AT, status: "published" },
  flags_count: 0,
  featured: false,
  edited: false,
  edits: [],
  experienced_at: null,
  submitted_at: AT,
  published_at: AT,
  invitation_id: "rvi_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  source: null,
  translations: {},
  erase_asked: false,
  version: 1,
};

export const examplePublicReview: z.input<typeof PublicReview> = {
  id: exampleReview.id,
  target: exampleTarget,
  product_name: "Oat bar",
  product_url: exampleReview.product_url,
  sku: "OAT-1",
  rating: 5,
  title: "Good crumb",
  body: "Gone by noon.",
  pros: ["Not too sweet"],
  cons: [],
  attributes: { sweetness: 3 },
  remarks: {},
  recommends: true,
  media: [],
  author: { display_name: "Ada", is_anonymous: false, location: "Leeds" },
  locale: "en-GB",
  country: "GB",
  status: "published",
  verification: { level: "verified_purchase" },
  collection_method: "post_fulfillment",
  incentive: { type: "none" },
  relationship: "none",
  disclosure: null,
  helpful: exampleReview.helpful,
  reply: { body: "Thank you, Ada!", by: DEMO_SHOP_NAME, at: AT },
  featured: false,
  edited: false,
  experienced_at: null,
  submitted_at: AT,
  published_at: AT,
  source: null,
  translations: {},
};

const moderation = { reason: null, note: "", by: null, at: null, risk: 0, signals: [] };

export const exampleQuestion: z.input<typeof Question> & { version: number } = {
  id: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  target: exampleTarget,
  body: "Does the oat bar keep for a week?",
  author: { display_name: "Ben", customer_id: null },
  email: "ben@shop.example",
  status: "published",
  moderation,
  votes: { up: 2, down: 0 },
  locale: "en",
  published_at: AT,
  answers_count: 1,
  accepted_answer_id: null,
  version: 1,
};

export const exampleAnswer: z.input<typeof Answer> & { version: number } = {
  id: "ans_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  question_id: exampleQuestion.id,
  body: "Yes, in a tin.",
  author: { display_name: DEMO_SHOP_NAME, customer_id: null },
  author_type: "merchant",
  verified_buyer: false,
  accepted: false,
  email: null,
  status: "published",
  moderation,
  votes: { up: 1, down: 0 },
  locale: "en",
  published_at: AT,
  erase_asked: false,
  version: 1,
};

const item = {
  target: exampleTarget,
  name: "Oat bar",
  url: "https://bakery.example/products/oat-bar",
  sku: "OAT-1",
  gtin: null,
  brand: DEMO_SHOP_NAME,
  category: "bars",
};

export const exampleOrder: z.input<typeof Order> & { version: number } = {
  id: "ord_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  order_id: "1042",
  customer: { id: "cus-17", email: "ada@shop.example", name: "Ada Byron" },
  items: [item],
  fulfilled_at: "2026-05-25T10:00:00.000Z",
  refunded: false,
  version: 1,
};

export const exampleInvitation: z.input<typeof Invitation> & { version: number } = {
  id: "rvi_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  order_id: "1042",
  customer: exampleOrder.customer,
  items: [item],
  reviewed: [],
  locale: "en-GB",
  fulfilled_at: "2026-05-25T10:00:00.000Z",
  send_at: "2026-06-08T10:00:00.000Z",
  sent_at: null,
  status: "scheduled",
  reason: null,
  reminders: [],
  expires_at: null,
  legal_basis: "legitimate_interest",
  next_action_at: "2026-06-08T10:00:00.000Z",
  version: 1,
};

export const exampleAggregate: z.input<typeof Aggregate> = {
  target: exampleTarget,
  rating_count: 50,
  review_count: 48,
  histogram: { "1": 1, "2": 0, "3": 2, "4": 5, "5": 42 },
  rating_sum: 237,
  rating_mean: 4.74,
  rating_value: 4.7,
  verified_share: 0.9,
  recommended_share: 0.98,
  incentivised_share: 0,
  ranking_score: 4.65,
  star_lower_bound: 4.373525,
  attributes: { sweetness: { count: 20, average: 3.1, options: {} } },
  last_published_at: AT,
  group_id: null,
};
