import { z } from "zod";

import { Review } from "../schema.ts";
import reviews from "./demo-reviews.json" with { type: "json" };

export const DEMO_PRODUCTS = {
  sourdough: { name: "Sourdough loaf", sku: "LOAF-SD" },
  rye: { name: "Dark rye", sku: "LOAF-RY" },
  croissant: { name: "All-butter croissant", sku: "PAS-CR" },
  bun: { name: "Cinnamon bun", sku: "PAS-CB" },
  cake: { name: "Carrot cake", sku: "CAKE-CA" },
  coffee: { name: "House espresso, 250 g", sku: "COF-250" },
  jam: { name: "Raspberry jam", sku: "JAM-RA" },
} as const;

const { status, incentive, relationship, moderation, verification } = Review.shape;

/** Reviews by customers of a small bakery. All persons and stories are fictitious. */
const DemoReview = z.strictObject({
  product: z.enum(["sourdough", "rye", "croissant", "bun", "cake", "coffee", "jam"]),
  stars: z.int(),
  title: z.string(),
  body: z.string(),
  name: z.string(),
  more: z
    .strictObject({
      status,
      level: verification.shape.level,
      incentive: incentive.shape.type,
      relationship,
      reply: z.string(),
      reason: moderation.shape.reason,
      featured: z.literal(true),
      up: z.int(),
      down: z.int(),
      imported: z.literal(true),
    })
    .partial()
    .optional(),
});
export type DemoReview = z.output<typeof DemoReview>;

let loaded: readonly DemoReview[] | undefined;

/** The reviews of `demo-reviews.json`, checked when they are first used. */
export const demoLines = (): readonly DemoReview[] => (loaded ??= z.array(DemoReview).parse(reviews));
