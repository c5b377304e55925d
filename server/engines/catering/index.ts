import { defineEngine } from "../../kernel/engine.ts";
import { listQuotes } from "./routes/quotes.ts";

export const catering = defineEngine({
  name: "catering",
  summary: "Quotes, corporate accounts, recurring orders, calendar-driven headcount",
  routes: [listQuotes],
});
