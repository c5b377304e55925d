import { conflict, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { categories, menus, readCategoryLinks } from "../repository.ts";
import type { CategoryLink } from "../rules/cut-tree.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Category } from "../schema.ts";

interface Links {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const changed = ({ before, after }: Links): { joined: string[]; left: string[] } => ({
  joined: after.filter((id) => !before.includes(id)),
  left: before.filter((id) => !after.includes(id)),
});

/**
 * Updates `category_ids` of menus to match a category's `menu_ids`: a new one is appended. Throws 422 for an unknown
 * menu.
 */
export async function linkMenus(ctx: Ctx, categoryId: string, links: Links): Promise<void> {
  const { joined, left } = changed(links);
  for (const id of [...joined, ...left]) {
    const menu = await ctx.tx.get(menus, id);
    const at = links.after.indexOf(id);
    if (menu === null) {
      if (at >= 0) throw invalidField(["menu_ids", at], "No resource with this id in this store.");
      continue;
    }
    if (at >= 0 && menu.value.status === "archived")
      throw invalidField(["menu_ids", at], "The menu is archived. Set its status to draft first.");
    const others = menu.value.category_ids.filter((each) => each !== categoryId);
    if (at >= 0 && others.length >= MENU_LIMITS.categoriesPerList) {
      throw invalidField(
        ["menu_ids", at],
        `A menu can have at most ${MENU_LIMITS.categoriesPerList} categories.`,
      );
    }
    const categoryIds = at >= 0 ? [...others, categoryId] : others;
    ctx.tx.put(menus, menu, { ...menu.value, category_ids: categoryIds, updated_at: ctx.nowAt });
  }
}

/**
 * Updates `menu_ids` of categories to match a menu's `category_ids`. Throws 422 for an unknown category and for one
 * with a parent.
 */
export async function linkCategories(ctx: Ctx, menuId: string, links: Links): Promise<void> {
  const { joined, left } = changed(links);
  refuseManyLinks(joined.length + left.length);
  for (const id of [...joined, ...left]) {
    const category = await ctx.tx.get(categories, id);
    const at = links.after.indexOf(id);
    if (category === null) {
      if (at >= 0) throw invalidField(["category_ids", at], "No resource with this id in this store.");
      continue;
    }
    const { menu_ids: before, parent_id: parent } = category.value;
    if (at >= 0 && parent !== null)
      throw invalidField(
        ["category_ids", at],
        "The category has a parent and is shown in its parent's menus. Remove the parent first.",
      );
    const others = before.filter((each) => each !== menuId);
    if (at >= 0 && others.length >= MENU_LIMITS.menusPerCategory) {
      throw invalidField(
        ["category_ids", at],
        `The category is already in ${MENU_LIMITS.menusPerCategory} menus, the maximum.`,
      );
    }
    const menuIds = at >= 0 ? [...others, menuId] : others;
    ctx.tx.put(categories, category, { ...category.value, menu_ids: menuIds, updated_at: ctx.nowAt });
  }
}

/** 409 if one change would write more categories than one commit allows. */
function refuseManyLinks(count: number): void {
  if (count <= MENU_LIMITS.linksPerChange) return;
  const detail =
    `${count} categories would be added to or removed from the menu at once; the maximum is ` +
    `${MENU_LIMITS.linksPerChange}.`;
  throw conflict("too_many_links", detail);
}

/**
 * Throws 422 if a category cannot be a child of its parent: the parent is unknown, full, or a descendant of the
 * category,
 * or the tree would be too deep. Reads all categories: call `markChanged` as well.
 */
export async function checkParent(
  tx: Tx,
  category: Category,
  /** What the request has already written: lists do not contain it. */
  earlier: readonly Category[],
): Promise<void> {
  if (category.parent_id === null) return;
  const all = new Map((await readCategoryLinks(tx)).map((link) => [link.id, link]));
  for (const written of [...earlier, category]) all.set(written.id, written);
  if ((await tx.get(categories, category.parent_id)) === null)
    throw invalidField(["parent_id"], "No resource with this id in this store.");
  const siblings = [...all.values()].filter(({ parent_id: id }) => id === category.parent_id);
  if (siblings.length > MENU_LIMITS.childrenPerCategory) {
    throw invalidField(
      ["parent_id"],
      `A category can have at most ${MENU_LIMITS.childrenPerCategory} children.`,
    );
  }
  const seen = new Set<string>();
  let depth = 0;
  for (let at: CategoryLink | undefined = category; at !== undefined; at = all.get(at.parent_id ?? "")) {
    if (seen.has(at.id)) throw invalidField(["parent_id"], "The category would contain itself.");
    seen.add(at.id);
    depth += 1;
  }
  if (depth - 1 + heightOf(category.id, [...all.values()]) > MENU_LIMITS.depth) {
    throw invalidField(["parent_id"], `Categories can be nested at most ${MENU_LIMITS.depth} levels deep.`);
  }
}

/** Levels of a category and its descendants. The caller has excluded cycles. */
function heightOf(id: string, all: readonly CategoryLink[]): number {
  const children = all.filter(({ parent_id: parent }) => parent === id);
  return 1 + Math.max(0, ...children.map((child) => heightOf(child.id, all)));
}
