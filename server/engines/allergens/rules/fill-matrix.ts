import type { ModeId } from "../data/modes.ts";
import type { Product, Status } from "../schema.ts";
import { declaredIn } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { isUnspecific, widerOf } from "./taxonomy.ts";

/** C: contains; M: may contain; -: verified, and not declared; ?: unknown. */
export type Cell = "C" | "M" | "-" | "?";

export interface MatrixRow {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  /** One cell for each code. */
  readonly cells: readonly Cell[];
}

/** A row of the allergen matrix. A wider word (nuts) leaves every narrower column open, whatever else is verified. */
export function fillMatrixRow(
  product: Product,
  { status }: Freshness,
  { mode, codes }: { readonly mode: ModeId; readonly codes: readonly string[] },
): MatrixRow {
  const { allergens, may_contain: warned } = declaredIn(product, mode);
  const isAbsenceKnown = status === "verified" && product.verified_mode === mode;
  const cellOf = (code: string): Cell => {
    if (allergens.includes(code)) return "C";
    if (warned.includes(code)) return "M";
    const isVague = [...allergens, ...warned].some(
      (named) => isUnspecific(named, mode) && widerOf(code).has(named),
    );
    return isAbsenceKnown && !isVague ? "-" : "?";
  };
  return { id: product.id, title: product.title, status, cells: codes.map(cellOf) };
}
