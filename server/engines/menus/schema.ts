import { z } from "zod";

import { Id, resourceFields } from "../../kernel/schema.ts";

export const Category = z.strictObject({
  ...resourceFields,
  title: z.string().min(1).max(150),
  description: z.string().max(2000).nullable(),
  parent_id: Id.nullable(),
  menu_ids: z.array(Id),
  /** In the order in which the category shows them. */
  item_ids: z.array(Id),
  sort_order: z.int(),
  visible: z.boolean(),
});
export type Category = z.output<typeof Category>;
