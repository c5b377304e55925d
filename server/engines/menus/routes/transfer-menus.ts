import { refuse } from "../formats/check-draft.ts";
import type { DraftMenu } from "../formats/draft.ts";
import { toMenu } from "../formats/to-resources.ts";
import type { ImportContext } from "../formats/to-resources.ts";
import type { Category, Menu } from "../schema.ts";
import type { Outcome, Stager } from "./transfer-stage.ts";

interface Work {
  readonly stagers: { readonly menu: Stager<Menu>; readonly category: Stager<Category> };
  readonly world: ImportContext;
}

/**
 * A menu with its categories, which refer to their menus in turn: both change together. If not all of them fit, the
 * menu
 * gets those that do and is reported as deferred.
 */
export async function stageMenu(input: DraftMenu, { stagers, world }: Work): Promise<Outcome> {
  const id = world.id("menu", input.ref);
  const { path } = input;
  const before = await stagers.menu.read(id);
  if (before?.status === "archived") {
    throw refuse([{ path, detail: "The menu is archived. Set its status to draft first." }]);
  }
  const linked = before?.category_ids ?? [];
  const allIds = await topLevel({ stagers, world }, input, linked);
  const next = { ...UNPUBLISHED, ...before, ...toMenu(input, before, world) };
  const first = await stagers.menu.stage(
    id,
    { ...next, category_ids: [...new Set([...linked, ...allIds])] },
    path,
  );
  if (first === "deferred") return first;
  const left: string[] = [];
  const joined = allIds.filter((each) => linked.includes(each));
  let outcome: Outcome = first;
  for (const each of new Set([...allIds, ...linked])) {
    const category = await stagers.category.read(each);
    const isWanted = allIds.includes(each);
    if (category === null || isWanted === linked.includes(each)) continue;
    const others = category.menu_ids.filter((menu) => menu !== id);
    const value = { ...category, menu_ids: isWanted ? [...others, id] : others };
    if ((await stagers.category.stage(each, value, path)) === "deferred") outcome = "deferred";
    else (isWanted ? joined : left).push(each);
  }
  const kept = linked.filter((each) => !allIds.includes(each) && !left.includes(each));
  const ids = [...allIds.filter((each) => joined.includes(each)), ...kept];
  await stagers.menu.stage(id, { ...next, category_ids: ids }, path);
  return outcome;
}

const UNPUBLISHED = {
  status: "draft" as const,
  latest_version: 0,
  published_version: null,
  published_at: null,
  scheduled: null,
};

/** Top-level categories of a menu in the document; nested ones are shown by their parents. */
async function topLevel(
  { stagers, world }: Work,
  input: DraftMenu,
  linked: readonly string[],
): Promise<string[]> {
  const ids: string[] = input.addsCategories === true ? [...linked] : [];
  for (const ref of input.categories) {
    const category = await stagers.category.read(world.id("category", ref));
    if (category !== null && category.parent_id === null && !ids.includes(category.id)) ids.push(category.id);
  }
  return ids;
}
