import { defineEngine } from "../../kernel/engine.ts";
import { nutritionRoutes } from "./routes/nutrition.ts";
import { productRoutes } from "./routes/products.ts";

export const allergens = defineEngine({
  name: "allergens",
  summary: "Allergen and dietary metafields, regulatory modes, nutrition facts",
  routes: [...productRoutes, ...nutritionRoutes],
});
