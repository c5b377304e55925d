import { defineEngine } from "../../kernel/engine.ts";
import { listCustomers } from "./routes/customers.ts";

export const tiers = defineEngine({
  name: "tiers",
  summary: "Behavioural loyalty tiers, per-customer aggregates, recalculation",
  routes: [listCustomers],
});
