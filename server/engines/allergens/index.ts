import { defineEngine } from "../../kernel/engine.ts";
import { productRoutes } from "./routes/products.ts";

export const allergens = defineEngine({
  name: "allergens",
  summary: "Allergen and dietary metafields, regulatory modes, nutrition facts",
  routes: [...productRoutes],
});
