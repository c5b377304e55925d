import { defineCollection } from "../../kernel/collection.ts";
import { Product } from "./schema.ts";

export const products = defineCollection({ name: "allergens.products", schema: Product });
