import { IDS, times } from "./examples.ts";

export const exampleMarkup = {
  id: IDS.schema,
  ...times,
  page_id: IDS.page,
  type: "Product" as const,
  jsonld: {
    "@context": "https://schema.org",
    "@type": "Product",
    name: "Hackney sourdough",
    offers: { "@type": "Offer", price: "4.80", priceCurrency: "GBP" },
  },
  status: "valid" as const,
  errors: [],
  warnings: [
    {
      path: "/image",
      code: "missing_recommended" as const,
      severity: "warning" as const,
      message: "Product should have image.",
    },
  ],
  parity: { checked: true, missing: [] },
  rules_as_of: "2026-11-21",
  origin: "generated" as const,
  revision: 1,
  validated_at: "2026-06-01T09:00:00.000Z",
  published_at: null,
  version: 4,
};
