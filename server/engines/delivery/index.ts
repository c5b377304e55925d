import { defineEngine } from "../../kernel/engine.ts";

export const delivery = defineEngine({
  name: "delivery",
  summary: "Outcodes, fee tiers, slot windows, blocked dates, delivery validation",
  routes: [],
});
