import type { z } from "zod";

import { idOfRef } from "../formats/names.ts";
import { exampleMenu } from "./examples.ts";
import type { ExportAnswer, ExportQuery, ImportAnswer, ImportRequest } from "./transfer-schema.ts";

const ids = {
  menu: idOfRef("uber", "menu", "all-day"),
  category: idOfRef("uber", "category", "coffee"),
  item: idOfRef("uber", "item", "flat-white"),
};
const row = { kind: "item", id: ids.item, external_id: "flat-white" } as const;

export const importExample: {
  readonly body: z.input<typeof ImportRequest>;
  readonly data: z.input<typeof ImportAnswer>;
} = {
  body: {
    format: "uber",
    dry_run: true,
    locale: "en",
    currency: "GBP",
    data: {
      menus: [
        {
          id: "all-day",
          title: { translations: { en: "All day" } },
          service_availability: [
            { day_of_week: "monday", time_periods: [{ start_time: "08:00", end_time: "17:00" }] },
          ],
          category_ids: ["coffee"],
        },
      ],
      categories: [
        {
          id: "coffee",
          title: { translations: { en: "Coffee" } },
          entities: [{ id: "flat-white", type: "ITEM" }],
        },
      ],
      items: [
        {
          id: "flat-white",
          title: { translations: { en: "Flat white" } },
          price_info: { price: 340 },
          tax_info: { vat_rate_percentage: 20 },
          nutritional_info: { allergens: ["Milk"] },
        },
      ],
      modifier_groups: [],
    },
  },
  data: {
    format: "uber",
    dry_run: true,
    complete: true,
    counts: { created: 4, updated: 0, unchanged: 0, deferred: 0 },
    rows: [
      {
        kind: "schedule",
        id: idOfRef("uber", "schedule", ""),
        external_id: null,
        path: "/menus/0",
        outcome: "created",
      },
      { ...row, path: "/items/0", outcome: "created" },
      {
        kind: "category",
        id: ids.category,
        external_id: "coffee",
        path: "/categories/0",
        outcome: "created",
      },
      { kind: "menu", id: ids.menu, external_id: "all-day", path: "/menus/0", outcome: "created" },
    ],
    warnings: [
      { path: "/items/0/tax_info", reason: "This field is not supported.", severity: "money", count: 1 },
    ],
    declarations: [
      { ...row, title: "Flat white", contains: ["milk"], free_from: [], diets: [], not_specific: [] },
    ],
    products: [],
    stock: [],
  },
};

export const exportExample: {
  readonly params: { readonly id: string };
  readonly query: z.input<typeof ExportQuery>;
  readonly data: z.input<typeof ExportAnswer>;
} = {
  params: { id: exampleMenu.id },
  query: { format: "uber", locale: "en" },
  data: {
    format: "uber",
    menu_id: exampleMenu.id,
    menu_version: null,
    document: {
      menus: [
        { id: exampleMenu.id, title: { translations: { en: "Bakery and kitchen" } }, category_ids: [] },
      ],
      categories: [],
      items: [],
      modifier_groups: [],
    },
    warnings: [],
  },
};
