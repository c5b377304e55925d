import { defineCollection } from "../../kernel/collection.ts";
import { Category } from "./schema.ts";

export const categories = defineCollection({ name: "menus.categories", schema: Category });
