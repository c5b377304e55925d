import { fromInstant } from "../../../lib/instant.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { menus, publications } from "../repository.ts";
import { settle } from "../rules/publication.ts";
import type { Menu } from "../schema.ts";
import type { Publication } from "../schema/versions.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** A menu whose scheduled version is due, with that recorded; any other menu unchanged. */
export function settleMenu(ctx: Pick<Ctx, "tx" | "now" | "nowAt" | "newId">, menu: Menu): Menu {
  const settled = settle(menu, ctx.now);
  if (settled === menu || menu.scheduled === null) return menu;
  const { version, at } = menu.scheduled;
  const late = ctx.now - fromInstant(at);
  record({ ...ctx, caller: null }, menu.id, { action: "started", menu_version: version, at, late });
  return settled;
}

type Recorded = Pick<Publication, "action" | "menu_version" | "at"> & { readonly late?: number };

/** Appends an entry to the publication log of a menu. */
export function record(
  { tx, nowAt, newId, caller }: Pick<Ctx, "tx" | "nowAt" | "newId" | "caller">,
  menuId: string,
  { late, ...entry }: Recorded,
): void {
  const id = newId("pub");
  const data = { menu_id: menuId, menu_version: entry.menu_version, effective_at: entry.at };
  tx.emit({ id: newId("evt"), type: `menus.menu.${entry.action}`, at: nowAt, data });
  tx.create(publications, {
    ...newResource(id, nowAt),
    menu_id: menuId,
    ...entry,
    by: caller,
    late_by_ms: late ?? null,
  });
}

export const saveMenu = (
  { tx, nowAt }: { tx: Tx; nowAt: string },
  before: Stored<Menu>,
  menu: Menu,
): Stored<Menu> => tx.put(menus, before, { ...menu, updated_at: nowAt });
