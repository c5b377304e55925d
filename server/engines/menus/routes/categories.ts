import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { categories } from "../repository.ts";
import { Category } from "../schema.ts";

const example: z.input<typeof Category> = {
  id: "cat_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  title: "Breads",
  description: "Baked before six",
  parent_id: null,
  menu_ids: ["mnu_01JD8Z5T9QK3M4N5P6R7S8T9V0"],
  item_ids: [],
  sort_order: 1,
  visible: true,
};

export const listCategories = defineRoute({
  id: "menus.categories.list",
  method: "GET",
  path: "/categories",
  summary: "Menu categories, newest first",
  query: ListQuery,
  data: z.array(withVersion(Category)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(categories, query)),
});
