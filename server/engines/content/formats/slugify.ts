/** A title in lower-case Latin letters, digits and hyphens; empty where nothing of it can be written so. */
export async function transliterate(title: string): Promise<string> {
  const { default: slugify } = await import("@sindresorhus/slugify");
  // The package would part "ÆrØ" into "a-ero" at each capital.
  return slugify(title, { decamelize: false });
}
