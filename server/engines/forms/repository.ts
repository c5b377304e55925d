import { defineCollection } from "../../kernel/collection.ts";
import { Form } from "./schema.ts";

export const forms = defineCollection({ name: "forms.forms", schema: Form });
