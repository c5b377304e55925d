import { fail, invalidField } from "../../../lib/errors.ts";
import type { Refusal } from "../schema.ts";

/** Ends the request when a rule refuses the change. */
export function refuse(refusal: Refusal | null): void {
  if (refusal === null) return;
  const { type, code, detail, path } = refusal;
  throw type === "conflict" ? fail("conflict", detail, { code }) : invalidField(path, detail, code);
}

/** What every write of a product can be refused with. */
export const productErrors = [
  {
    type: "conflict",
    code: "declaration_conflict",
    when: "A code is declared free from, and it or one that it covers is contained",
  },
  {
    type: "conflict",
    code: "free_from_conflict",
    when: "Something is declared or claimed free from what it may contain",
  },
  {
    type: "unprocessable_content",
    code: "claim_conflict",
    when: "A dietary claim does not fit what is in the product",
  },
  {
    type: "unprocessable_content",
    code: "allergen_not_specific",
    when: "A verified product names a wider word, as in nuts, where the allergen itself is wanted",
  },
  {
    type: "unprocessable_content",
    code: "ingredients_invalid",
    when: "An ingredient is not known, the list is too long or too deep, or a statement of ingredients_text has no known allergen",
  },
  { type: "conflict", code: "external_ref_taken", when: "Another product has the external reference" },
  {
    type: "conflict",
    code: "too_many_declarations",
    when: "The recipe calls for more declarations than a product has",
  },
] as const;
