import type { z } from "zod";

import type { EnginePorts, LinkedProduct, ProductLinker, WantedProduct } from "../../../core/ports.ts";
import { mapPage } from "../../../core/map-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { facet, INDEXED_WORDS, products, readSettings } from "../repository.ts";
import { allDeclarations } from "../rules/declare.ts";
import { mergeDeclarations } from "../rules/merge-declarations.ts";
import { searchWords, titleKey } from "../rules/search-words.ts";
import { isRelated } from "../rules/taxonomy.ts";
import { isForAll } from "../rules/unresolved-names.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { DeclarationInput } from "../schema/declaration.ts";
import type { Product } from "../schema.ts";
import { findByRef, importRow, readRow } from "./import-row.ts";
import { toDeclaration } from "./products.ts";
import { stageChanged } from "./save-product.ts";

/** Objects that are looked up, and products that are created, at the same time. */
const AT_ONCE = 8;
const PAGE = { limit: 100, bytes: 4_000_000 } as const;
/** Characters of a title. */
const TITLE_MAX = 200;

/** The products with a title, by the key of the title, each with what it declares as contained. */
type ByTitle = ReadonlyMap<string, Map<string, readonly string[]>>;

/** The products that objects of another system are about; see the port. */
export const linkProducts: EnginePorts["linkProducts"] = async (work, wanted) => {
  const linked: (LinkedProduct | null)[] = [];
  let byTitle: ByTitle | null = null;
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const turn = giveWay(work.part);
    if (turn !== undefined) await turn;
    const batch = wanted.slice(start, start + AT_ONCE);
    const byRef = await work.runTx(work.part, (tx) =>
      Promise.all(
        batch.map(({ product_id: id, external_ref: ref }) =>
          id === null ? findByRef(tx, ref) : tx.get(products, id),
        ),
      ),
    );
    const isNew = batch.some(({ product_id: has }, index) => has === null && byRef[index] === null);
    if (isNew) byTitle ??= await work.runTx(work.part, (tx) => readTitles(tx, wanted.slice(start)));
    const titles = byTitle;
    const done = await Promise.all(
      batch.map(async (each, index): Promise<LinkedProduct | null> => {
        const own = byRef[index] ?? null;
        if (own !== null && !each.is_dry_run && missingIn(own.value, each).length > 0)
          await declareContained(work, own.id, each);
        const id = own?.id ?? each.product_id ?? onlyOf(titles, each);
        if (id !== null) return { product_id: id, outcome: "linked" };
        return each.is_created ? createProduct(work, each) : null;
      }),
    );
    for (const [index, one] of done.entries()) {
      linked.push(one);
      if (one?.outcome === "created")
        titles
          ?.get(titleKey(titleOf(batch[index]?.titles)))
          ?.set(one.product_id, batch[index]?.contains ?? []);
    }
  }
  return linked;
};

/**
 * The products with any of the titles, of all objects together: products with long recipes that share words are parsed once, and not once
 * for each object.
 */
async function readTitles(tx: Tx, wanted: readonly WantedProduct[]): Promise<ByTitle> {
  const found = new Map<string, Map<string, readonly string[]>>();
  const indexed = new Set<string>();
  for (const title of wanted.flatMap(({ titles }) => titles)) {
    const turn = giveWay(tx.part);
    if (turn !== undefined) await turn;
    // A long word is in few titles.
    const [word] = searchWords(title)
      .slice(0, INDEXED_WORDS)
      .sort((a, b) => b.length - a.length);
    if (word === undefined) continue;
    indexed.add(facet.word(word));
    found.set(titleKey(title), new Map());
  }
  const read = new Set<string>();
  for (const value of indexed) {
    let cursor: string | undefined;
    do {
      const query = { index: "by", value, ...PAGE, cursor };
      const { next } = await mapPage(tx, products, query, (product) => {
        if (read.has(product.id)) return;
        read.add(product.id);
        const ids = found.get(titleKey(product.value.title));
        // Two are as many as a hundred: see `onlyOf`.
        if (ids !== undefined && ids.size < 2) ids.set(product.id, containedIn(product.value));
      });
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }
  return found;
}

/** What a product contains, without what is only the origin of a refined ingredient: another system says that it contains soya. */
const containedIn = (product: Product): string[] =>
  allDeclarations(product).flatMap((each) => (isForAll(each) ? [each.code] : []));

/** The only product with one of the titles; null if there is none, or more than one, or if it lacks an allergen: it is another food. */
function onlyOf(byTitle: ByTitle | null, { contains, titles }: WantedProduct): string | null {
  const found = new Map(titles.flatMap((title) => [...(byTitle?.get(titleKey(title)) ?? [])]));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const [id, declared] = only;
  return contains.every((code) => declared.some((each) => isRelated(each, code))) ? id : null;
}

/** A product that lacks an allergen of its object gets it, and nothing that was found of it before holds: it was another food. */
async function declareContained(work: ProductLinker, id: string, wanted: WantedProduct): Promise<void> {
  await work.runTx(work.part, async (tx) => {
    const stored = await tx.get(products, id);
    if (stored === null) return;
    const { value: product } = stored;
    const missing = missingIn(product, wanted);
    if (missing.length === 0) return;
    const isDenied = (code: string): boolean => missing.some((each) => isRelated(each.code, code));
    const kept = product.declarations.filter(
      ({ code, presence }) => presence !== "free_from" || !isDenied(code),
    );
    const detail = `${wanted.external_ref.system} says that it contains ${missing.map(({ code }) => code).join(", ")}.`;
    const next: Product = {
      ...product,
      declarations: mergeDeclarations(missing.map(toDeclaration), kept).slice(
        0,
        ALLERGEN_LIMITS.declarations,
      ),
      ...(product.status === "unverified"
        ? {}
        : { status: "stale", stale_reasons: [{ code: "changed", detail }] }),
    };
    const { default_mode: mode } = await readSettings(tx);
    await stageChanged({ ...work, tx }, stored, next, {
      kind: "imported",
      mode,
      by: work.caller,
      note: detail,
    });
  });
}

/** What an object contains and a product does not declare. */
function missingIn(product: Product, wanted: WantedProduct): z.output<typeof DeclarationInput>[] {
  const declared = containedIn(product);
  return declarationsOf(wanted).filter(({ code }) => !declared.some((each) => isRelated(each, code)));
}

const declarationsOf = ({ contains }: WantedProduct): z.output<typeof DeclarationInput>[] =>
  contains.flatMap((code) => DeclarationInput.safeParse({ code, presence: "contains" }).data ?? []);

function createProduct(work: ProductLinker, wanted: WantedProduct): Promise<LinkedProduct | null> {
  const declarations = declarationsOf(wanted);
  const row = readRow({
    external_ref: wanted.external_ref,
    title: titleOf(wanted.titles),
    declarations: declarations.slice(0, ALLERGEN_LIMITS.declarations),
  });
  return work.runTx(work.part, async (tx) => {
    const known = await findByRef(tx, wanted.external_ref);
    if (known !== null) return { product_id: known.id, outcome: "linked" };
    const done = await importRow({ ...work, tx }, row, false);
    return done.product_id === null ? null : { product_id: done.product_id, outcome: "created" };
  });
}

const titleOf = (titles: readonly string[] = []): string => (titles[0] ?? "").slice(0, TITLE_MAX);
