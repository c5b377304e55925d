import type { Ctx } from "../../../core/route.ts";
import type { LinkedProduct, WantedProduct } from "../../../core/ports.ts";
import type { Draft, DraftItem, DraftModifier } from "../formats/draft.ts";
import type { Names } from "../formats/names.ts";
import type { Item } from "../schema/item.ts";
import type { Modifier } from "../schema/modifier.ts";
import type { Stager } from "./transfer-stage.ts";

export type ProductMode = "none" | "link" | "create";

/** What came of an item or modifier that had no product. */
export interface LinkRow {
  readonly kind: "item" | "modifier";
  readonly input: DraftItem | DraftModifier;
  readonly id: string;
  readonly product_id: string | null;
  readonly outcome: "linked" | "created" | "not_found";
}

interface Work {
  readonly ctx: Ctx;
  readonly stagers: { readonly item: Stager<Item>; readonly modifier: Stager<Modifier> };
  readonly world: Names;
}

/** Objects that are looked up at the same time. */
const AT_ONCE = 8;
/** Characters of an external reference of a product. */
const REF_MAX = 120;

/**
 * Gives the staged items and modifiers of a draft their products. New products are created in commits of their own:
 * they are found by their reference when the import is repeated. False if something is left for the next request.
 */
export async function linkProducts(
  { ctx, stagers, world }: Work,
  draft: Draft,
  { mode, dryRun }: { readonly mode: ProductMode; readonly dryRun: boolean },
): Promise<{ readonly rows: LinkRow[]; readonly isComplete: boolean }> {
  if (mode === "none") return { rows: [], isComplete: true };
  const sold = [
    ...draft.items.map((input) => ({ kind: "item" as const, input })),
    ...draft.modifiers.map((input) => ({ kind: "modifier" as const, input })),
  ];
  const rows: LinkRow[] = [];
  let isComplete = true;
  for (let start = 0; start < sold.length; start += AT_ONCE) {
    const batch = sold.slice(start, start + AT_ONCE).map(async ({ kind, input }) => {
      const id = world.id(kind, input.ref);
      const current = await stagers[kind].read(id);
      if (current === null || current.product_id !== null) return null;
      const isCreated = mode === "create" && kind === "item";
      const found = await findProduct(ctx, wantedFor(input, world.system, id), isCreated && !dryRun);
      const outcome = found?.outcome ?? (isCreated && dryRun ? "created" : "not_found");
      return { kind, input, id, product_id: found?.product_id ?? null, outcome } as const;
    });
    for (const row of await Promise.all(batch)) {
      if (row === null) continue;
      const { kind, id, input, product_id } = row;
      rows.push(row);
      if (product_id === null) continue;
      isComplete &&= (await stageProduct(stagers, { kind, id, product_id }, input)) !== "deferred";
    }
  }
  return { rows, isComplete };
}

const wantedFor = (input: DraftItem | DraftModifier, system: string, id: string): WantedProduct => ({
  external_ref:
    input.ref.trim() === input.ref && input.ref.length <= REF_MAX
      ? { system, id: input.ref }
      : { system: "menus", id },
  titles: [...new Set(Object.values(input.title))],
  contains: input.food?.contains ?? [],
});

/** In a transaction of its own: what it reads and creates must not make the import run again. */
function findProduct(ctx: Ctx, wanted: WantedProduct, isCreated: boolean): Promise<LinkedProduct | null> {
  const { ports, nowAt, newId, caller } = ctx;
  const create = isCreated ? { create: { nowAt, newId, caller } } : {};
  return ctx.runTx(ctx.tx.part, (tx) => ports.engines.linkProduct(tx, { ...wanted, ...create }));
}

async function stageProduct(
  stagers: Work["stagers"],
  {
    kind,
    id,
    product_id,
  }: { readonly kind: LinkRow["kind"]; readonly id: string; readonly product_id: string },
  { path }: DraftItem | DraftModifier,
) {
  if (kind === "item") {
    const item = await stagers.item.read(id);
    return item === null ? "unchanged" : stagers.item.stage(id, { ...item, product_id }, path);
  }
  const modifier = await stagers.modifier.read(id);
  return modifier === null ? "unchanged" : stagers.modifier.stage(id, { ...modifier, product_id }, path);
}
