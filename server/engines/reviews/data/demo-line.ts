import type { Review } from "../schema.ts";

/** Reviews by customers of a small bakery. All persons and stories are fictitious. */
export interface DemoReview {
  readonly product: keyof typeof DEMO_PRODUCTS;
  readonly stars: number;
  readonly title: string;
  readonly body: string;
  readonly name: string;
  readonly more?: {
    readonly status?: Review["status"];
    readonly level?: Review["verification"]["level"];
    readonly incentive?: Review["incentive"]["type"];
    readonly relationship?: Review["relationship"];
    readonly reply?: string;
    readonly reason?: Review["moderation"]["reason"];
    readonly featured?: true;
    readonly up?: number;
    readonly down?: number;
    readonly imported?: true;
  };
}

export const DEMO_PRODUCTS = {
  sourdough: { name: "Sourdough loaf", sku: "LOAF-SD" },
  rye: { name: "Dark rye", sku: "LOAF-RY" },
  croissant: { name: "All-butter croissant", sku: "PAS-CR" },
  bun: { name: "Cinnamon bun", sku: "PAS-CB" },
  cake: { name: "Carrot cake", sku: "CAKE-CA" },
  coffee: { name: "House espresso, 250 g", sku: "COF-250" },
  jam: { name: "Raspberry jam", sku: "JAM-RA" },
} as const;

export type DemoLine = [
  product: DemoReview["product"],
  stars: number,
  title: string,
  body: string,
  name: string,
  more?: DemoReview["more"],
];
