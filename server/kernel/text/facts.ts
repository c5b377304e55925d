export type ClaimKind = "number" | "price" | "date" | "url" | "allergen" | "name";

/** Something that a text says and that can be held against its sources. */
export interface Claim {
  readonly kind: ClaimKind;
  /** As it stands in the text. */
  readonly text: string;
}
