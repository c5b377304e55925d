import type { z } from "zod";

import type { EvaluationAnswer, EvaluationRequest } from "../schema/evaluation.ts";
import { exampleOffer } from "./examples.ts";

export const exampleEvaluation: {
  body: z.input<typeof EvaluationRequest>;
  data: z.input<typeof EvaluationAnswer>;
} = {
  body: { lines: [{ id: "1", ref: "croissant", quantity: 3, unit_price: 250 }], channel: "web" },
  data: {
    currency: "GBP",
    lines: [
      {
        id: "1",
        quantity: 3,
        unit_price: 250,
        subtotal: 750,
        discount: 250,
        total: 500,
        tax: 0,
        per_unit: { amount: 166, odd_units: 2 },
        allocations: [{ source_id: exampleOffer.id, amount: 250, units: 1 }],
      },
    ],
    shipping: null,
    totals: { subtotal: 750, discount: 250, shipping: 0, tax: 0, tax_included: true, total: 500 },
    taxes: [{ tax_rate_bps: 0, taxable: 500, tax: 0 }],
    bundles: [],
    applied: [{ offer_id: exampleOffer.id, title: exampleOffer.title, class: "bogo", saving: 250 }],
    rejected: [],
    codes: [],
    suggestions: [],
    trace: {
      mode: "search",
      sets: 2,
      steps: [
        { step: "lines", id: null, detail: "1 line", amount: 750 },
        { step: "adjustment", id: exampleOffer.id, detail: exampleOffer.title, amount: -250 },
        { step: "tax", id: null, detail: "0% on 500, included", amount: 0 },
      ],
    },
    pricing_hash: "5e1f6d0c9b8a7f6e5d4c3b2a19087f6e5d4c3b2a",
  },
};
