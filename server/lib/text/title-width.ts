/** Pixels of a title as a page of search results shows it: Arial, 20 px. */
export async function measureTitle(title: string): Promise<number> {
  const { default: pixelWidth } = await import("string-pixel-width");
  return Math.round(pixelWidth(title, { font: "arial", size: 20 }) * 10) / 10;
}
