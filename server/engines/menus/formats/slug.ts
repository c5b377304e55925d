/** Our code for another system's name or id: `ON THE SIDE` is `on-the-side`. */
export function slug(text: string, fallback: string): string {
  const code = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return code === "" ? fallback : code;
}
