/** A title in lower-case Latin letters, digits and hyphens; empty if nothing of it can be transliterated. */
export async function transliterate(title: string): Promise<string> {
  const { default: slugify } = await import("@sindresorhus/slugify");
  // The package would split "ÆrØ" into "a-ero" at each capital.
  return slugify(title, { decamelize: false });
}
