import { defineEngine } from "../../kernel/engine.ts";
import { listContracts } from "./routes/contracts.ts";

export const subscriptions = defineEngine({
  name: "subscriptions",
  summary: "Recurring subscription contracts and their charges",
  routes: [listContracts],
});
