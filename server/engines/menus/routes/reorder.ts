import { DEMO_IDS } from "../data/demo-ids.ts";
import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import { categories, markChanged, menus } from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { refuseTwice } from "./write.ts";

const CategoryIds = z.array(Id).min(1).max(MENU_LIMITS.categoriesPerList);

const reorderCategories = defineRoute({
  id: "menus.categories.reorder",
  method: "POST",
  path: "/categories/reorder",
  summary: "Reorder the categories of a menu or of a parent",
  description: "List all of the categories, each once, in the new order.",
  body: z
    .strictObject({ menu_id: Id.optional(), parent_id: Id.optional(), category_ids: CategoryIds })
    .refine(({ menu_id: menu, parent_id: parent }) => (menu === undefined) !== (parent === undefined), {
      path: ["menu_id"],
      message: "Specify either menu_id or parent_id.",
    }),
  data: z.object({ category_ids: z.array(Id) }),
  example: {
    body: {
      menu_id: DEMO_IDS.menus.late,
      category_ids: [DEMO_IDS.categories.late],
    },
  },
  handle: async ({ body }, ctx) => {
    const { tx, nowAt } = ctx;
    const { menu_id: menuId, parent_id: parentId, category_ids: ids } = body;
    refuseTwice("category_ids", ids);
    await markChanged(tx, ctx.newId);
    if (menuId !== undefined) {
      const menu = await tx.get(menus, menuId);
      if (menu === null) throw invalidField(["menu_id"], "No resource with this id in this store.");
      refuseOther(ids, menu.value.category_ids);
      tx.put(menus, menu, { ...menu.value, category_ids: ids, updated_at: nowAt });
      return ok({ category_ids: ids });
    }
    const children = await tx.peekAll(categories, { index: "parent", value: parentId ?? "" });
    refuseOther(
      ids,
      children.map(({ id }) => id),
    );
    for (const [at, id] of ids.entries()) {
      const child = await tx.require(categories, id);
      // Unchanged positions are not written: each changed one is three operations of the commit.
      if (child.value.sort_order === at) continue;
      tx.put(categories, child, { ...child.value, sort_order: at, updated_at: nowAt });
    }
    return ok({ category_ids: ids });
  },
});

function refuseOther(ids: readonly string[], expected: readonly string[]): void {
  const stranger = ids.findIndex((id) => !expected.includes(id));
  if (stranger >= 0) throw invalidField(["category_ids", stranger], "The category is not in this list.");
  const left = expected.find((id) => !ids.includes(id));
  if (left !== undefined)
    throw invalidField(["category_ids"], `${left} is missing. List all of the categories.`);
}

export const reorderRoutes = [reorderCategories];
