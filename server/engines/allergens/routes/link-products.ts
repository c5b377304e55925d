import type { EnginePorts, LinkedProduct, ProductLinker, WantedProduct } from "../../../core/ports.ts";
import { mapPage } from "../../../core/map-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { facet, INDEXED_WORDS, products } from "../repository.ts";
import { allDeclarations } from "../rules/declare.ts";
import { searchWords, titleKey } from "../rules/search-words.ts";
import { isRelated } from "../rules/taxonomy.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { DeclarationInput } from "../schema/declaration.ts";
import type { Product } from "../schema.ts";
import { findByRef, importRow, readRow } from "./import-row.ts";

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
      Promise.all(batch.map(({ external_ref: ref }) => findByRef(tx, ref))),
    );
    const isNew = byRef.includes(null);
    if (isNew) byTitle ??= await work.runTx(work.part, (tx) => readTitles(tx, wanted.slice(start)));
    const titles = byTitle;
    const done = await Promise.all(
      batch.map(async (each, index): Promise<LinkedProduct | null> => {
        const id = byRef[index]?.id ?? onlyOf(titles, each);
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

const containedIn = (product: Product): string[] =>
  allDeclarations(product).flatMap(({ code, presence }) => (presence === "contains" ? [code] : []));

/** The only product with one of the titles; null if there is none, or more than one, or if it lacks an allergen: it is another food. */
function onlyOf(byTitle: ByTitle | null, { contains, titles }: WantedProduct): string | null {
  const found = new Map(titles.flatMap((title) => [...(byTitle?.get(titleKey(title)) ?? [])]));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const [id, declared] = only;
  return contains.every((code) => declared.some((each) => isRelated(each, code))) ? id : null;
}

function createProduct(work: ProductLinker, wanted: WantedProduct): Promise<LinkedProduct | null> {
  const declarations = wanted.contains.flatMap(
    (code) => DeclarationInput.safeParse({ code, presence: "contains" }).data ?? [],
  );
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
