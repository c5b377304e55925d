import { conflict, conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Refusal } from "../schema.ts";

/** Ends the request when a rule refuses the change. */
export function refuse(refusal: Refusal | null): void {
  if (refusal === null) return;
  const { type, code, detail, path } = refusal;
  throw type === "conflict" ? conflict(code, detail) : invalidField(path, detail, code);
}

/** What every write of a product can be refused with. */
export const productErrors = [
  conflictWhen(
    "declaration_conflict",
    "A code is declared free from, and it or one that it covers is contained",
  ),
  conflictWhen("free_from_conflict", "Something is declared or claimed free from what it may contain"),
  unprocessableWhen("claim_conflict", "A dietary claim does not fit what is in the product"),
  unprocessableWhen(
    "allergen_not_specific",
    "A verified product names a wider word, as in nuts, where the allergen itself is wanted",
  ),
  unprocessableWhen(
    "ingredients_invalid",
    "An ingredient is not known, the list is too long or too deep, or a statement of ingredients_text has no known allergen",
  ),
  conflictWhen("external_ref_taken", "Another product has the external reference"),
  conflictWhen("too_many_declarations", "The recipe calls for more declarations than a product has"),
] as const;
