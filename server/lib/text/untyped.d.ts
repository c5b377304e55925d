// Packages that bring no types; only what is used here is declared.

declare module "stopword" {
  /** Word lists by ISO 639-3 code, and functions. */
  const lists: Readonly<Record<string, unknown>>;
  export default lists;
}

declare module "snowball-stemmers" {
  const factory: { newStemmer(algorithm: string): { stem(word: string): string } };
  export default factory;
}
