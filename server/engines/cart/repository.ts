import { defineCollection } from "../../kernel/collection.ts";
import { Bundle } from "./schema.ts";

export const bundles = defineCollection({ name: "cart.bundles", schema: Bundle });
