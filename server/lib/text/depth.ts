/** Browsers stop at 512 levels. Beyond some thousands what walks the tree runs out of stack, and work grows with the square. */
const DEPTH_MAX = 256;

/**
 * HTML or XML up to the first element that nests too deep: what follows it is not read. Texts of people stay whole;
 * a page made to keep its reader busy does not.
 */
export async function cutDeep(html: string, xmlMode = false): Promise<string> {
  const { Parser } = await import("htmlparser2");
  let depth = 0;
  let cut: number | null = null;
  const parser = new Parser(
    {
      onopentagname() {
        depth += 1;
        if (depth <= DEPTH_MAX || cut !== null) return;
        cut = parser.startIndex;
        parser.pause();
      },
      onclosetag() {
        depth -= 1;
      },
    },
    { xmlMode },
  );
  parser.write(html);
  return cut === null ? html : html.slice(0, cut);
}
