import { isDeepStrictEqual } from "node:util";

import type { NewId } from "../../../core/ids.ts";
import { conflict, fail } from "../../../lib/errors.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
import { takeSharedTurn } from "../../../core/room.ts";
import { requireDocFits } from "../../../core/staging.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import type { ModeId } from "../data/modes.ts";
import {
  externalRefId,
  externalRefs,
  HISTORY_HEAD,
  historyHeads,
  metafieldDocs,
  products,
  productVersions,
  RECIPE_TURNS,
} from "../repository.ts";
import { findClaimConflict } from "../rules/check-claims.ts";
import { diffCodes, joinDiffs } from "../rules/changed-allergens.ts";
import { GENESIS, linkAfter } from "../rules/history-chain.ts";
import { findConflict, findUnspecific } from "../rules/merge-declarations.ts";
import { productSteps } from "../rules/nutrition/product-recipe.ts";
import { namedIn } from "../rules/walk-lines.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { ChangeKind } from "../schema/history.ts";
import type { ExternalRef, Product } from "../schema.ts";
import { refuse } from "./refuse.ts";
import { readUsed } from "./resolve-lines.ts";

/** What a write of a product needs; a request's context and an import's both have it. */
export interface Writing {
  readonly tx: Tx;
  readonly newId: NewId;
  readonly nowAt: string;
}

export interface Change {
  readonly kind: ChangeKind;
  /** Mode in which the history shows what was added and removed. */
  readonly mode: ModeId;
  readonly by: string | null;
  readonly note?: string | null;
}

/** A change of a product as a handler wants it; revision, times and staleness follow from it. */
export type Draft = Omit<Product, "revision" | "updated_at">;

/**
 * Bytes of a product. Its entry of the history, which has the product in it, is a document of 262,144 as well, and changes of its
 * ingredients, which must not be refused, add allergens and reasons to it.
 */
export const PRODUCT_BYTES_MAX = 250_000;
export const bytesOf = (product: Product): number => Buffer.byteLength(JSON.stringify(product));

/**
 * Checks a product as a whole and stages it with its history and external references. Another recipe, supplier or
 * declaration makes a verified product stale. Throws the refusals of `productErrors`.
 */
export async function saveProduct(
  work: Writing,
  before: Stored<Product> | null,
  requested: Draft,
  change: Change,
): Promise<Stored<Product>> {
  const draft = await withCalculatedNutrition(work.tx, requested);
  requireDocFits(leastBytes(draft));
  checkProduct(before?.value ?? null, draft, change.mode);
  await giveWay(work.tx.part);
  const product: Product = {
    ...(change.kind === "verified"
      ? withoutChanges(draft)
      : withChanges(before?.value ?? null, withStaleness(before?.value ?? null, draft), change.mode)),
    revision: (before?.value.revision ?? 0) + 1,
    updated_at: work.nowAt,
  };
  if (change.kind !== "verified") requireRoom(product);
  const known = new Set(namedIn(before?.value.ingredients ?? []));
  if (namedIn(product.ingredients).some((id) => !known.has(id)))
    await takeSharedTurn(work.tx, RECIPE_TURNS, product.id);
  await moveRefs(work.tx, product.id, before?.value.external_refs ?? [], product.external_refs);
  await giveWay(work.tx.part);
  await stageVersion(work, before?.value ?? null, product, change);
  await giveWay(work.tx.part);
  return work.tx.save(products, before, product);
}

function requireRoom(product: Product): void {
  if (bytesOf(product) <= PRODUCT_BYTES_MAX) return;
  throw fail("content_too_large", `The product would exceed the limit of ${PRODUCT_BYTES_MAX} bytes.`);
}

/** Bytes of an origin without its name, at least. */
const ORIGIN_BYTES = 60;

/** Each code of each of hundreds of ingredients is an origin: more than a document holds is refused without writing all of it. */
const leastBytes = ({ declarations }: Draft): number =>
  declarations.reduce(
    (bytes, { derived_from: origins }) =>
      origins.reduce((all, { name }) => all + ORIGIN_BYTES + name.length, bytes),
    0,
  );

/** A product with a recipe has the nutrition that its ingredients come to. */
export async function withCalculatedNutrition<
  T extends Pick<Product, "ingredients" | "recipe" | "nutrition">,
>(tx: Tx, draft: T): Promise<T> {
  if (draft.recipe === null || draft.recipe === undefined) return draft;
  const library = await readUsed(tx, draft.ingredients);
  const { nutrition } = await runInSlices(
    productSteps(draft, (id) => library.get(id)?.nutrition),
    tx.part,
  );
  return { ...draft, nutrition };
}

/** Throws when the product cannot be so (invariants 2 to 6). */
export function checkProduct(before: Product | null, draft: Draft, mode: ModeId): void {
  if (draft.declarations.length > ALLERGEN_LIMITS.declarations) {
    throw conflict(
      "too_many_declarations",
      `A product has at most ${ALLERGEN_LIMITS.declarations} declarations.`,
    );
  }
  refuse(findConflict(draft.declarations));
  refuse(findClaimConflict(draft, mode));
  // A verified product takes no wider word; one that is being written up still may.
  if (before?.status === "verified") refuse(findUnspecific(draft.declarations, before.verified_mode ?? mode));
}

/** Removes a product; its history stays. */
export async function removeProduct(work: Writing, before: Stored<Product>, change: Change): Promise<void> {
  const { value } = before;
  await moveRefs(work.tx, value.id, value.external_refs, []);
  const last = { ...value, declarations: [], revision: value.revision + 1 };
  await stageVersion(work, value, last, change);
  const metafields = await work.tx.get(metafieldDocs, value.id);
  if (metafields !== null) work.tx.remove(metafieldDocs, metafields);
  work.tx.remove(products, before);
}

/**
 * Stages a product that a change elsewhere made another one: with the library as it is now, or with a lapsed
 * verification. Nothing of it is checked again.
 */
export async function stageChanged(
  work: Writing,
  before: Stored<Product>,
  next: Product,
  change: Change,
): Promise<void> {
  const product: Product = {
    ...withChanges(before.value, next, change.mode),
    revision: before.value.revision + 1,
    updated_at: work.nowAt,
  };
  await stageVersion(work, before.value, product, change);
  work.tx.put(products, before, product);
}

/** What changed since the last verification is recorded for the next one. */
function withChanges<T extends Draft>(before: Product | null, next: T, mode: ModeId): T {
  if (before === null || before.verified_at === null) return next;
  return { ...next, changed_allergens: joinDiffs(before.changed_allergens, diffCodes(before, next, mode)) };
}

function withoutChanges<T extends Draft>({
  changed_allergens: _reviewed,
  ...rest
}: T): Omit<T, "changed_allergens"> {
  return rest;
}

/** A verification lapses only by a change of what it covers. */
function withStaleness(before: Product | null, draft: Draft): Draft {
  if (before === null || before.status === "unverified") return draft;
  const isSame =
    isDeepStrictEqual(before.ingredients, draft.ingredients) &&
    isDeepStrictEqual(before.declarations, draft.declarations);
  if (isSame) return draft;
  const detail = "Its ingredients or declarations changed after it was verified.";
  return { ...draft, status: "stale", stale_reasons: [{ code: "changed", detail }] };
}

/** Adds the change to the history, chained to the entry before. */
async function stageVersion(
  work: Writing,
  before: Product | null,
  after: Product,
  change: Change,
): Promise<void> {
  const { added, removed } = diffCodes(before, change.kind === "deleted" ? null : after, change.mode);
  const { id: product_id, revision, status } = after;
  const data = { product_id, revision, status, mode: change.mode, added, removed };
  work.tx.emit({ id: work.newId("evt"), type: `allergens.product.${change.kind}`, at: work.nowAt, data });
  const head = await work.tx.get(historyHeads, HISTORY_HEAD);
  const entry = linkAfter(head?.value ?? GENESIS, {
    id: work.newId("ver"),
    product_id: after.id,
    revision: after.revision,
    at: work.nowAt,
    change: change.kind,
    by: change.by,
    note: change.note ?? null,
    title: after.title,
    status: after.status,
    mode: change.mode,
    added,
    removed,
    product: after,
  });
  work.tx.create(productVersions, entry);
  work.tx.save(historyHeads, head, { id: HISTORY_HEAD, seq: entry.seq, hash: entry.hash });
}

async function moveRefs(
  tx: Tx,
  productId: string,
  before: readonly ExternalRef[],
  after: readonly ExternalRef[],
): Promise<void> {
  const old = new Set(before.map(externalRefId));
  const next = new Set(after.map(externalRefId));
  for (const id of old) {
    if (next.has(id)) continue;
    const found = await tx.get(externalRefs, id);
    if (found?.value.product_id === productId) tx.remove(externalRefs, found);
  }
  for (const ref of after) {
    const id = externalRefId(ref);
    const found = await tx.get(externalRefs, id);
    if (found === null) tx.create(externalRefs, { id, product_id: productId });
    else if (found.value.product_id !== productId) {
      throw conflict(
        "external_ref_taken",
        `Another product has the external reference ${ref.system} ${ref.id}.`,
      );
    }
  }
}
