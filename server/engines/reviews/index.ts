import { defineEngine } from "../../kernel/engine.ts";
import { listReviews } from "./routes/reviews.ts";

export const reviews = defineEngine({
  name: "reviews",
  summary: "Product reviews, questions and answers, aggregate ratings",
  routes: [listReviews],
});
