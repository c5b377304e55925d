import { timeOrder } from "../../../core/collection.ts";
import type { PageQuery } from "../../../core/tx.ts";
import { facet } from "../repository.ts";
import { allDeclarations, isRecordedIn } from "../rules/declare.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { judge } from "../rules/judge.ts";
import { knowProduct } from "../rules/know-product.ts";
import { matchesWords, searchWords } from "../rules/search-words.ts";
import { avoidedWith, familiesOf } from "../rules/taxonomy.ts";
import type { ModeId } from "../data/modes.ts";
import type { Claim } from "../schema/declaration.ts";
import type { Product, Status } from "../schema.ts";
import { readClaims, readCodes } from "./read-codes.ts";
import type { CurrentProduct, openStore } from "./read-products.ts";

interface Query {
  readonly mode?: ModeId | undefined;
  readonly allergen?: string | undefined;
  readonly excludes?: string | undefined;
  readonly diet?: string | undefined;
  readonly status?: Status | undefined;
  readonly q?: string | undefined;
  readonly updated_since?: string | undefined;
}

interface Filters {
  /** Where the page is read: the index of the filter that lets the fewest through. */
  readonly start: Pick<PageQuery, "index" | "value" | "from">;
  readonly isWanted: (read: CurrentProduct) => boolean;
}

/**
 * What a query of the products list asks for. Alone, each of its filters reads only what it lists, but for `excludes`,
 * which goes through the verified products, and what is stale, which goes through all. Throws 422 for codes and claims that there are
 * not.
 */
export function readFilters(
  query: Query,
  {
    store: { hasPending, settings },
    now,
    today,
  }: {
    readonly store: Pick<Awaited<ReturnType<typeof openStore>>, "hasPending" | "settings">;
    readonly now: number;
    /** The date where the shop is. */
    readonly today: string;
  },
): Filters {
  const mode = query.mode ?? settings.default_mode;
  const wanted = {
    contains: readCodes("allergen", query.allergen),
    without: readCodes("excludes", query.excludes),
    claims: readClaims("diet", query.diet),
    words: searchWords(query.q ?? ""),
  };

  const isWanted: Filters["isWanted"] = ({ product: stored, state }) => {
    const product = freshen(stored, state.pending, settings.default_mode);
    if (query.updated_since !== undefined && product.updated_at < query.updated_since) return false;
    if (!matchesWords(product.title, wanted.words)) return false;
    const freshness = freshnessOf(stored, now, state);
    if (query.status !== undefined && freshness.status !== query.status) return false;
    if (!containsAll(product, wanted.contains, mode)) return false;
    if (wanted.without.length + wanted.claims.length === 0) return true;
    const known = knowProduct(product, freshness, { mode, today });
    if (!wanted.claims.every((claim) => known.diets.includes(claim))) return false;
    if (wanted.without.length === 0) return true;
    return judge(known, { avoid: wanted.without, diets: [], tolerate: "none" }).verdict === "safe";
  };
  // While a change of an ingredient is being written, the index by allergen may lack what it adds.
  const indexed = !hasPending ? wanted : { ...wanted, contains: [] };
  return { start: startOf(query, indexed), isWanted };
}

function startOf(
  query: Query,
  wanted: { contains: string[]; without: string[]; claims: Claim[]; words: string[] },
): Filters["start"] {
  const [word] = wanted.words;
  const [claim] = wanted.claims;
  const [family] = wanted.contains.flatMap(familiesOf);
  const by = (value: string): Filters["start"] => ({ index: "by", value });
  if (query.updated_since !== undefined) return { index: "updated", from: timeOrder(query.updated_since) };
  if (word !== undefined) return by(facet.word(word));
  if (claim !== undefined) return by(facet.diet(claim));
  if (family !== undefined) return by(facet.family(family));
  if (wanted.without.length > 0) return by(facet.status("verified"));
  // A verification lapses without a write, by a name that a newer vocabulary reads: the index has those products as verified.
  return query.status === undefined || query.status === "stale" ? {} : by(facet.status(query.status));
}

function containsAll(product: Product, codes: readonly string[], mode: ModeId): boolean {
  if (codes.length === 0) return true;
  const contained = allDeclarations(product)
    .filter((declaration) => declaration.presence === "contains" && isRecordedIn(declaration, mode))
    .map(({ code }) => code);
  return codes.every((code) => contained.some((each) => avoidedWith(code).has(each)));
}
