import { defineEngine } from "../../kernel/engine.ts";
import { listBundles } from "./routes/bundles.ts";

export const cart = defineEngine({
  name: "cart",
  summary: "Bundles, buy-one-get-one offers, upsells, abandoned-cart recovery",
  routes: [listBundles],
});
