import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import { pageOf } from "../../../core/computed-page.ts";
import { conflict, conflictWhen, fail, invalidParameter } from "../../../lib/errors.ts";
import { okInPieces, values } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, ListQuery, withVersion, listFields } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { jsonPieces } from "../../../lib/json-pieces.ts";
import { menus, readTree, versionId, versions } from "../repository.ts";
import { compareTrees } from "../rules/diff-trees.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { LIVE_BYTES_MAX } from "../rules/live-size.ts";
import type { Menu } from "../schema.ts";
import type { MenuTree } from "../schema/tree.ts";
import { MenuVersion, MenuVersionWithTree, TreeChange } from "../schema/versions.ts";
import { readDraft } from "./read-draft.ts";

const VersionNumber = z.coerce.number().pipe(z.int().min(1).max(999_999));
const VersionView = withVersion(MenuVersion);

const listVersions = defineRoute({
  id: "menus.versions.list",
  method: "GET",
  path: "/:id/versions",
  summary: "List the versions of a menu, newest first",
  query: ListQuery,
  data: z.array(VersionView),
  example: { params: { id: "mnu_01KDVDNA008888888888888889" } },
  handle: listUnder(menus, versions, "menu"),
});

const getVersion = defineRoute({
  id: "menus.versions.get",
  method: "GET",
  path: "/:id/versions/:n",
  summary: "Retrieve a version of a menu with everything in it",
  params: z.object({ id: Id, n: VersionNumber }),
  data: withVersion(MenuVersionWithTree),
  errors: [missing],
  example: { params: { id: "mnu_01KDVDNA008888888888888889", n: "1" } },
  handle: async ({ params }, { tx }) => {
    await tx.require(menus, params.id);
    const stored = await tx.require(versions, versionId(params.id, params.n));
    const tree = await bareTree(tx, stored);
    return okInPieces({ ...stored.value, version: stored.version }, { tree: jsonPieces(tree) });
  },
});

const Side = z.string().regex(/^(draft|[1-9]\d{0,5})$/, "Expected the number of a version, or `draft`.");
const diffVersions = defineRoute({
  id: "menus.versions.diff",
  method: "GET",
  path: "/:id/diff",
  summary: "Compare two versions of a menu, or a version with the draft",
  description:
    "Returns one entry per object that was added, removed or changed; for a changed object, the fields that differ. " +
    "Applying the entries to the first version yields the second.",
  query: z.object({ ...listFields, from: Side, to: Side }),
  data: z.array(TreeChange),
  example: {
    params: { id: "mnu_01KDVDNA008888888888888889" },
    query: { from: "1", to: "draft" },
  },
  async handle({ params, query }, { tx }) {
    const menu = await tx.require(menus, params.id);
    const from = await readSide(tx, menu, "from", query.from);
    const to = query.to === query.from ? from : await readSide(tx, menu, "to", query.to);
    const changes = [];
    for (const compared of compareTrees(from, to)) {
      await giveWay(tx.part);
      if (compared === null) continue;
      const { id, ...change } = compared;
      changes.push({ id: `${change.kind}.${id}`, object_id: id, ...change });
    }
    const place = { part: tx.part, list: `menus.diff ${params.id} ${query.from} ${query.to}` };
    const page = pageOf(changes, ({ id }) => id, place, query);
    return values(page.items, page);
  },
});

async function readSide(tx: Tx, menu: Stored<Menu>, name: "from" | "to", side: string): Promise<MenuTree> {
  if (side === "draft") return readDraft(tx, menu.value);
  const version = await tx.get(versions, versionId(menu.id, Number(side)));
  if (version === null) throw invalidParameter(name, "No version with this number in this menu.");
  return readTree(tx, version.value);
}

/** The tree only, without derived data. */
async function bareTree(tx: Tx, version: Stored<MenuVersion>): Promise<MenuTree> {
  const { menu, categories, items, modifier_groups, modifiers, schedules, price_levels } = await readTree(
    tx,
    version.value,
  );
  return { menu, categories, items, modifier_groups, modifiers, schedules, price_levels };
}

/** The version of a menu that is live; throws 404 or 409 `not_published`. */
export const notLive = (type: "not_found" | "conflict") =>
  fail(type, "No version of the menu is live at this time.", { code: "not_published" });

/** Throws 409 `menu_too_large` if the live menu of a tree is too long. Versions of earlier releases can be. */
export function refuseLongLive({ liveBytes }: Pick<IndexedTree, "liveBytes">): void {
  if (liveBytes <= LIVE_BYTES_MAX) return;
  const [is, most] = [liveBytes, LIVE_BYTES_MAX].map((bytes) => Math.ceil(bytes / 1_000_000));
  throw conflict(
    "menu_too_large",
    `A storefront would get about ${is} MB for this menu; at most ${most} MB can be published. Each category repeats the ` +
      "items that it lists, with the ids of all their modifiers. List items in fewer categories, offer fewer modifiers " +
      "per item, or split it into two menus, and publish it again.",
  );
}

/** What `refuseLongLive` throws, at routes that show a whole live menu. */
export const liveTooLarge = conflictWhen("menu_too_large", "The live menu would have more than 8 MB");

export const versionRoutes = [listVersions, getVersion, diffVersions];
