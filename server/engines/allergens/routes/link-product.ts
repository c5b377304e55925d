import type { EnginePorts } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import { facet, INDEXED_WORDS, products } from "../repository.ts";
import { isSameTitle, searchWords } from "../rules/search-words.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { DeclarationInput } from "../schema/declaration.ts";
import { findByRef, importRow, readRow } from "./import-row.ts";

const PAGE = 200;
/** Characters of a title. */
const TITLE_MAX = 200;

/** The product that an object of another system is about; see the port. */
export const linkProduct: EnginePorts["linkProduct"] = async (tx, wanted) => {
  const { external_ref: ref, titles, create } = wanted;
  const known = (await findByRef(tx, ref))?.id ?? (await findByTitle(tx, titles));
  if (known !== null) return { product_id: known, outcome: "linked" };
  if (create === undefined) return null;
  const declarations = wanted.contains.flatMap(
    (code) => DeclarationInput.safeParse({ code, presence: "contains" }).data ?? [],
  );
  const row = readRow({
    external_ref: ref,
    title: (titles[0] ?? "").slice(0, TITLE_MAX),
    declarations: declarations.slice(0, ALLERGEN_LIMITS.declarations),
  });
  const done = await importRow({ tx, ...create }, row, false);
  return done.product_id === null ? null : { product_id: done.product_id, outcome: "created" };
};

/** The only product with one of these titles; null if there is none, or more than one. */
async function findByTitle(tx: Tx, titles: readonly string[]): Promise<string | null> {
  const found = new Set<string>();
  for (const title of titles) {
    // A long word is in few titles.
    const [word] = searchWords(title)
      .slice(0, INDEXED_WORDS)
      .sort((a, b) => b.length - a.length);
    if (word === undefined) continue;
    let cursor: string | undefined;
    do {
      const query = { index: "by", value: facet.word(word), limit: PAGE, cursor };
      const page = await tx.peekPage(products, query);
      for (const { id, value } of page.items) if (isSameTitle(value.title, title)) found.add(id);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && found.size < 2);
  }
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? null : only;
}
