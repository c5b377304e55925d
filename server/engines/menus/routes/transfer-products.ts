import type { Ctx } from "../../../core/route.ts";
import type { WantedProduct } from "../../../core/ports.ts";
import { giveWay } from "../../../lib/slices.ts";
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

/** Characters of an external reference of a product. */
const REF_MAX = 120;

/**
 * Gives the staged items and modifiers of a draft their products, and these the allergens that the document says. They are found and created in transactions of their own: what these
 * read must not make the import run again, and new products are found by their reference when it is repeated. False if something is left
 * for the next request.
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
  const { part } = ctx.tx;
  const open: (Pick<LinkRow, "kind" | "input" | "id" | "product_id"> & { readonly isCreated: boolean })[] =
    [];
  for (const { kind, input } of sold) {
    await giveWay(part);
    const id = world.id(kind, input.ref);
    const current = await stagers[kind].read(id);
    if (current === null) continue;
    const { product_id } = current;
    // Nothing is to be done for a product of which the document says no allergen.
    if (product_id !== null && (input.food?.contains.length ?? 0) === 0) continue;
    open.push({ kind, input, id, product_id, isCreated: mode === "create" && kind === "item" });
  }
  const { ports, runTx, nowAt, newId, caller } = ctx;
  const found = await ports.engines.linkProducts(
    { part, runTx, nowAt, newId, caller },
    open.map(({ input, id, product_id, isCreated }) => ({
      ...wantedFor(input, world.system, id),
      product_id,
      is_created: isCreated && !dryRun,
      is_dry_run: dryRun,
    })),
  );
  const rows: LinkRow[] = [];
  let isComplete = true;
  for (const [index, { isCreated, ...about }] of open.entries()) {
    if (about.product_id !== null) continue;
    await giveWay(part);
    const { product_id = null, outcome = isCreated && dryRun ? "created" : "not_found" } = found[index] ?? {};
    rows.push({ ...about, product_id, outcome });
    if (product_id === null) continue;
    const { kind, id, input } = about;
    isComplete &&= (await stageProduct(stagers, { kind, id, product_id }, input)) !== "deferred";
  }
  return { rows, isComplete };
}

const wantedFor = (
  input: DraftItem | DraftModifier,
  system: string,
  id: string,
): Pick<WantedProduct, "external_ref" | "titles" | "contains"> => ({
  external_ref:
    input.ref.trim() === input.ref && input.ref.length <= REF_MAX
      ? { system, id: input.ref }
      : { system: "menus", id },
  titles: [...new Set(Object.values(input.title))],
  contains: input.food?.contains ?? [],
});

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
