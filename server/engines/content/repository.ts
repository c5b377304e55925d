import { defineCollection } from "../../kernel/collection.ts";
import { Draft } from "./schema.ts";

export const drafts = defineCollection({ name: "content.drafts", schema: Draft });
