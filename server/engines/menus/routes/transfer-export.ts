import { okInPieces } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import { writeDocument } from "../formats/formats.ts";
import { jsonPieces } from "../../../lib/json-pieces.ts";
import { giveWay } from "../../../lib/slices.ts";
import { joinLosses } from "../formats/losses.ts";
import type { ProductFacts } from "../formats/tree-view.ts";
import { menus, readSettings, readTree, versionId, versions } from "../repository.ts";
import { chooseDefaults } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { dishAllergens } from "../rules/line-allergens.ts";
import { dishChoicesIn } from "../rules/price-order.ts";
import type { MenuTree } from "../schema/tree.ts";
import type { Channel } from "../schema/parts.ts";
import { readPartlyUnavailable, readUnavailable } from "../services/unavailable.ts";
import { readDeclared, readDraft } from "./read-draft.ts";
import { dietsOf } from "./transfer-json-ld.ts";
import { ExportAnswer, ExportQuery } from "./transfer-schema.ts";

export const exportMenu = defineRoute({
  id: "menus.transfers.export",
  cost: 5,
  method: "GET",
  path: "/:id/export",
  summary: "Export a menu for Square, Toast, Deliverect, Uber Eats or Otter",
  description:
    "document has the format that the system accepts: batches for Square's BatchUpsertCatalogObjects (add an " +
    "idempotency_key), a response of Toast's menus API, a product sync for Deliverect (add account, location and tax " +
    "rates), the body of Uber Eats' PUT menus, or Otter's menus. Objects imported from the system keep its ids. " +
    "Hours are split at midnight, allergens are those of products that are verified or were, and what cannot be sold now is exported " +
    "as such to Deliverect, Uber Eats and Otter, whose menus contain it. warnings lists every field of the menu that is not exported unchanged.",
  query: ExportQuery,
  data: ExportAnswer,
  example: {
    params: { id: "mnu_01KDVDNA008888888888888889" },
    query: { format: "uber", locale: "en" },
  },
  async handle({ params, query }, ctx) {
    const menu = await ctx.tx.require(menus, params.id);
    const tree =
      query.version === undefined
        ? await readDraft(ctx.tx, menu.value)
        : await readTree(ctx.tx, (await ctx.tx.require(versions, versionId(params.id, query.version))).value);
    const settings = await readSettings(ctx.tx);
    const unavailable = await readUnavailable(ctx, onlyChannel(tree), tree);
    const key = ctx.tx.part;
    const { data, losses } = await writeDocument(query.format, tree, {
      locale: query.locale ?? settings.default_locale,
      facts: await readFacts(ctx, tree),
      unavailable,
      key,
    });
    const others = {
      format: query.format,
      menu_id: params.id,
      menu_version: query.version ?? null,
      warnings: joinLosses(losses, await readPartlyUnavailable(ctx, tree, unavailable)),
    };
    return okInPieces(others, { document: jsonPieces(data) });
  },
});

/** What is unavailable in the only channel of a menu counts; for a menu of several, what is unavailable in all. */
const onlyChannel = ({ menu: { channels } }: MenuTree): Channel | null =>
  channels.length === 1 ? (channels[0] ?? null) : null;

/**
 * Verified data of the products of a tree. Of one whose verification ended what it contains is left: without it, a channel would show no
 * allergens where it showed some. Nothing is exported about the others. An item with modifiers has the allergens and diets that it has
 * with those that are selected by default.
 */
export async function readFacts(
  ctx: Pick<Ctx, "tx" | "now" | "ports">,
  tree: IndexedTree,
): Promise<ReadonlyMap<string, ProductFacts>> {
  const parts = [...tree.items, ...tree.modifiers];
  const declaredOf = await readDeclared(ctx, parts);
  const facts = new Map<string, ProductFacts>();
  for (const { product_id: id } of parts) {
    const declared = id === null ? undefined : declaredOf(id);
    if (id === null || declared === undefined) continue;
    const { verified, allergens: contains, may_contain, diets, reasons = [] } = declared;
    if (verified) facts.set(id, { contains, may_contain, diets });
    else if (reasons.some(({ concerns }) => concerns === null))
      facts.set(id, { contains, may_contain, diets: [], lapsed: true });
  }
  for (const { id, product_id, modifier_groups: groups } of tree.items) {
    const own = product_id === null || groups.length === 0 ? undefined : facts.get(product_id);
    if (own === undefined) continue;
    await giveWay(ctx.tx.part);
    const { defaults } = chooseDefaults(tree, groupsOfItem(tree, groups));
    const { allergens, may_contain } = dishAllergens(product_id, dishChoicesIn(defaults), declaredOf);
    const contains = [...new Set([...own.contains, ...allergens])];
    facts.set(id, { ...own, contains, may_contain, diets: dietsOf({ tree, declaredOf }, id) });
  }
  return facts;
}
