import { selectAll } from "css-select";
import type { AnyNode, Element } from "domhandler";

/** The elements below a node that a CSS selector matches, in reading order. */
export const select = (selector: string, node: AnyNode): Element[] =>
  selectAll<AnyNode, Element>(selector, node);
