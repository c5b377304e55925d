import type { ModeId } from "../data/modes.ts";
import type { Product, Status } from "../schema.ts";
import { recordedIn } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { avoidedWith, isUnspecific, widerOf } from "./taxonomy.ts";

/** C: contains; M: may contain; -: verified, and not declared; ?: unknown. */
export type Cell = "C" | "M" | "-" | "?";

export interface MatrixRow {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  /** One cell for each code. */
  readonly cells: readonly Cell[];
}

/**
 * A row of the allergen matrix. A column has what a guest avoids with its code: salmon is in that of fish as well, and shrimp in that of
 * prawn. A wider word (nuts) leaves every narrower column open, whatever else is verified.
 */
export function fillMatrixRow(
  product: Product,
  { status }: Freshness,
  { mode, codes }: { readonly mode: ModeId; readonly codes: readonly string[] },
): MatrixRow {
  const { allergens, may_contain: warned } = recordedIn(product, mode);
  const isAbsenceKnown = status === "verified" && product.verified_mode === mode;
  const cellOf = (code: string): Cell => {
    const avoided = avoidedWith(code);
    if (allergens.some((each) => avoided.has(each))) return "C";
    if (warned.some((each) => avoided.has(each))) return "M";
    const isVague = [...allergens, ...warned].some(
      (named) => isUnspecific(named, mode) && widerOf(code).has(named),
    );
    return isAbsenceKnown && !isVague ? "-" : "?";
  };
  return { id: product.id, title: product.title, status, cells: codes.map(cellOf) };
}
