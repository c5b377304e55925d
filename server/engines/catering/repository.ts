import { defineCollection } from "../../kernel/collection.ts";
import { Quote } from "./schema.ts";

export const quotes = defineCollection({ name: "catering.quotes", schema: Quote });
