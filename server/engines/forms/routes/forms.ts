import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { forms } from "../repository.ts";
import { Form } from "../schema.ts";

const example: z.input<typeof Form> = {
  id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  name: "Wedding cakes",
  slug: "wedding-cakes",
  status: "active",
  locales: ["en-GB"],
  fields: [{ key: "email", type: "email", label: "Your e-mail", required: true }],
};

export const listForms = defineRoute({
  id: "forms.forms.list",
  method: "GET",
  path: "",
  summary: "Forms, newest first",
  query: ListQuery,
  data: z.array(withVersion(Form)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(forms, query)),
});
