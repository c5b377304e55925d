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

/** The pattern of each; the catalogues have its error message. */
export const PATTERNS: Readonly<Record<PatternId, string>> = {
  postcode_gb: "^[A-Za-z]{1,2}[0-9][A-Za-z0-9]? ?[0-9][A-Za-z]{2}$",
  digits: "^[0-9]+$",
  letters: "^[A-Za-z][A-Za-z '-]*$",
  alphanumeric: "^[A-Za-z0-9]+$",
  reference: "^[A-Za-z0-9][A-Za-z0-9/-]*$",
  vat_gb: "^GB([0-9]{9}|[0-9]{12}|(GD|HA)[0-9]{3})$",
};
