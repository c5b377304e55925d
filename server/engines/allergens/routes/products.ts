import { z } from "zod";

import { defineRoute, values } from "../../../kernel/route.ts";
import { ListQuery } from "../../../kernel/schema.ts";
import { products } from "../repository.ts";
import { ProductItem } from "../schema.ts";

export const listProducts = defineRoute({
  id: "allergens.products.list",
  method: "GET",
  path: "/products",
  summary: "Products with their allergens, newest first",
  query: ListQuery,
  data: z.array(ProductItem),
  example: {
    data: [{ id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0", title: "Oat bar", allergens: ["gluten", "oats"] }],
  },
  async handle({ query }, { tx }) {
    const page = await tx.page(products, query);
    return values(
      page.items.map(({ value: { id, title, allergens } }) => ({ id, title, allergens })),
      page,
    );
  },
});
