import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { bundles } from "../repository.ts";
import { Bundle } from "../schema.ts";

const example: z.input<typeof Bundle> = {
  id: "bdl_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  title: "Breakfast for two",
  type: "fixed",
  components: [
    { ref: "croissant", qty: 2 },
    { ref: "coffee", qty: 2 },
  ],
  pricing: { kind: "fixed_price", value: 950 },
  auto_apply: true,
  subscribable: false,
  starts_at: null,
  ends_at: null,
  status: "active",
};

export const listBundles = defineRoute({
  id: "cart.bundles.list",
  method: "GET",
  path: "/bundles",
  summary: "Bundles, newest first",
  query: ListQuery,
  data: z.array(withVersion(Bundle)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(bundles, query)),
});
