/** What is known of the allergens of something that can be eaten. */
export interface KnownAllergens {
  readonly title: string;
  /** A person has verified it, and nothing changed since. Otherwise an allergen that is not listed may still be in it. */
  readonly verified: boolean;
  /** Regulatory modes whose codes were looked at: there, and only there, a code that is not named is not in it. */
  readonly complete_in: readonly string[];
  /** The mode that was asked about, or the store's own. */
  readonly mode: string;
  /** Codes that the mode has declared, and those it may contain, for showing. */
  readonly allergens: readonly string[];
  readonly may_contain: readonly string[];
  /** All that is recorded, whatever a mode makes of it; a code may be there for more than one reason. */
  readonly facts: readonly AllergenFact[];
  /** Dietary claims in force, and diets that it certainly does not suit. */
  readonly diets: readonly string[];
  readonly unfit_for: readonly string[];
  /** Energy of one portion in kcal; absent or null: unknown. */
  readonly kcal?: number | null;
  /**
   * Why it is not verified, or does not suit a diet, in sentences. `concerns` is the allergen code or diet; null: the
   * whole. Absent where nothing is recorded.
   */
  readonly reasons?: readonly KnownReason[];
}

/** True if the absence of a code means that it is not contained: what another mode has declared says less. */
export const isComplete = (
  facts: Pick<KnownAllergens, "verified" | "complete_in" | "mode"> | undefined,
): boolean => facts !== undefined && facts.verified && facts.complete_in.includes(facts.mode);

export interface ProductVerdict {
  /** Of what is avoided, and of the diets. */
  readonly allergens: "safe" | "unsafe" | "unknown";
  readonly diets: "safe" | "unsafe" | "unknown";
}

export interface KnownReason {
  readonly concerns: string | null;
  readonly detail: string;
}

export interface AllergenFact {
  readonly code: string;
  readonly presence: "contains" | "may_contain" | "free_from";
  /** The code under which the mode has it declared; null where it need not be. */
  readonly declared_as: string | null;
  /** Not declared by the mode because of how its source was made (refined soya oil). */
  readonly exempt: boolean;
  /** Ingredients that bring it, by their own id and that of the library; empty where it was declared by hand, and for a dish. */
  readonly origins: readonly {
    readonly id: string;
    readonly ingredient_id: string | null;
    readonly name: string;
  }[];
}
