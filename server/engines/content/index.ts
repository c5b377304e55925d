import { defineEngine } from "../../kernel/engine.ts";
import { listDrafts } from "./routes/drafts.ts";

export const content = defineEngine({
  name: "content",
  summary: "Blog drafts, tracked articles, SEO scoring, AI usage",
  routes: [listDrafts],
});
