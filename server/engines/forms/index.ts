import { defineEngine } from "../../kernel/engine.ts";
import { listForms } from "./routes/forms.ts";

export const forms = defineEngine({
  name: "forms",
  summary: "Forms, submissions, quote requests",
  routes: [listForms],
});
