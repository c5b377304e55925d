import { defineCollection } from "../../kernel/collection.ts";
import { Contract } from "./schema.ts";

export const contracts = defineCollection({ name: "subscriptions.contracts", schema: Contract });
