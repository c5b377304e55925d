import { selectAll } from "css-select";
import type { AnyNode, Element } from "domhandler";

/**
 * The elements below a node that a CSS selector matches, in reading order. cheerio's own `find` looks for each child of
 * the node among all the others, and a page of forty thousand `<p>` keeps it busy for seconds.
 */
export const select = (selector: string, node: AnyNode | undefined): Element[] =>
  node === undefined ? [] : selectAll<AnyNode, Element>(selector, node);
