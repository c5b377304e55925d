import { defineCollection } from "../../kernel/collection.ts";
import { Review } from "./schema.ts";

export const reviews = defineCollection({ name: "reviews.reviews", schema: Review });
