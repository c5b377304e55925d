import { defineEngine } from "../../kernel/engine.ts";
import { listCategories } from "./routes/categories.ts";

export const menus = defineEngine({
  name: "menus",
  summary: "Menus and their categories",
  routes: [listCategories],
});
