import { defineCollection } from "../../kernel/collection.ts";
import { CustomerAggregate } from "./schema.ts";

export const customers = defineCollection({ name: "tiers.customers", schema: CustomerAggregate });
