/**
 * Predefined patterns of text fields. A store cannot define its own: a malicious regular expression can
 * block the service for hours. Each of these runs in linear time.
 */
export const PATTERN_IDS = [
  "postcode_gb",
  "digits",
  "letters",
  "alphanumeric",
  "reference",
  "vat_gb",
] as const;
export type PatternId = (typeof PATTERN_IDS)[number];

/** Description of each pattern, and its error message. */
export const PATTERNS: Readonly<Record<PatternId, { readonly source: string; readonly says: string }>> = {
  postcode_gb: { source: "^[A-Za-z]{1,2}[0-9][A-Za-z0-9]? ?[0-9][A-Za-z]{2}$", says: "a British postcode" },
  digits: { source: "^[0-9]+$", says: "digits only" },
  letters: { source: "^[A-Za-z][A-Za-z '-]*$", says: "letters only" },
  alphanumeric: { source: "^[A-Za-z0-9]+$", says: "letters and digits only" },
  reference: { source: "^[A-Za-z0-9][A-Za-z0-9/-]*$", says: "letters, digits, dashes and slashes" },
  vat_gb: {
    source: "^GB([0-9]{9}|[0-9]{12}|(GD|HA)[0-9]{3})$",
    says: "a British VAT number such as GB123456789",
  },
};
