import { z } from "zod";

import { resourceFields } from "../../kernel/schema.ts";

export const Product = z.strictObject({
  ...resourceFields,
  title: z.string().min(1).max(200),
  /** Declared allergens by code, as in `gluten`, `milk`. */
  allergens: z.array(z.string()),
});
export type Product = z.output<typeof Product>;

/** The item of the products listing: these three members, as the specification shows it. */
export const ProductItem = Product.pick({ id: true, title: true, allergens: true });
