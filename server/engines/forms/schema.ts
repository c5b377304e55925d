import { z } from "zod";

import { resourceFields } from "../../kernel/schema.ts";

export const Form = z.strictObject({
  ...resourceFields,
  name: z.string().min(1).max(150),
  slug: z.string().max(75),
  status: z.enum(["draft", "active", "paused", "archived"]),
  locales: z.array(z.string()),
  fields: z.array(
    z.strictObject({
      key: z.string(),
      type: z.enum(["text", "email", "phone", "number", "date", "select", "checkbox", "textarea", "file"]),
      label: z.string(),
      required: z.boolean(),
    }),
  ),
});
export type Form = z.output<typeof Form>;
