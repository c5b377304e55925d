/** Pixels of a title: a page of results has room for as many, and a shorter one leaves much of it empty. */
export const TITLE_PX = { min: 200, max: 600 } as const;

/** Pixels of a title as a page of search results shows it: Arial, 20 px. */
export async function measureTitle(title: string): Promise<number> {
  const { default: pixelWidth } = await import("string-pixel-width");
  return Math.round(pixelWidth(title, { font: "arial", size: 20 }) * 10) / 10;
}
