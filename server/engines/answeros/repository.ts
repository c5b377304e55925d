import { defineCollection } from "../../kernel/collection.ts";
import { Score } from "./schema.ts";

export const scores = defineCollection({ name: "answeros.scores", schema: Score });
