import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { allergenEvents } from "./data/events.ts";
import { demoAllergens } from "./demo.ts";
import { markStale } from "./jobs.ts";
import {
  externalRefs,
  historyHeads,
  ingredients,
  products,
  productVersions,
  allergenSettings,
} from "./repository.ts";
import { allergensOf, judgeProducts } from "./routes/allergens-of.ts";
import { checkRoutes } from "./routes/check.ts";
import { historyRoutes } from "./routes/history.ts";
import { historySheetRoutes } from "./routes/history-sheet.ts";
import { impactRoutes } from "./routes/impact.ts";
import { ingredientRoutes } from "./routes/ingredients.ts";
import { importRoutes } from "./routes/import.ts";
import { labelRoutes } from "./routes/label.ts";
import { linkProducts } from "./routes/link-products.ts";
import { matrixRoutes } from "./routes/matrix.ts";
import { metafieldRoutes } from "./routes/metafields.ts";
import { nutritionRoutes } from "./routes/nutrition.ts";
import { printRoutes } from "./routes/prints.ts";
import { productPartRoutes } from "./routes/product-parts.ts";
import { productRoutes } from "./routes/products.ts";
import { sheetPages, sheetRoutes } from "./routes/sheet.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { taxonomyRoutes } from "./routes/taxonomy.ts";
import { verifyRoutes } from "./routes/verify.ts";

export const allergens = defineEngine({
  name: "allergens",
  summary: "Allergen and dietary metafields, regulatory modes, nutrition facts",
  routes: [
    ...productRoutes,
    ...productPartRoutes,
    ...verifyRoutes,
    ...importRoutes,
    ...labelRoutes,
    ...printRoutes,
    ...historyRoutes,
    ...historySheetRoutes,
    ...metafieldRoutes,
    ...nutritionRoutes,
    ...ingredientRoutes,
    ...impactRoutes,
    ...matrixRoutes,
    ...sheetRoutes,
    ...checkRoutes,
    ...taxonomyRoutes,
    ...settingsRoutes,
  ],
  links: sheetPages,
  jobs: [markStale],
  answers: { allergensOf, judgeProducts, linkProducts },
  events: allergenEvents,
  seed: (now) => {
    const demo = demoAllergens(now);
    return [
      allergenSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, { ingredients, products, versions: productVersions, historyHeads, externalRefs }),
    ];
  },
});
