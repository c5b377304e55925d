import type { Element, ElementContent, Nodes, Root } from "hast";

export type Attributes = Readonly<Record<string, string>>;

/**
 * HTML as a tree (hast), with the names that attributes have in HTML, of the elements in `keep` alone: what others contain is
 * content of the element around them. Not by the parser of browsers: it makes up for unclosed elements, and some kilobytes of
 * them become millions of elements; and it compares each attribute with all before it.
 */
export async function readHast(
  html: string,
  keep: ReadonlySet<string>,
  attributesOf: (tagName: string, attributes: Attributes) => Attributes,
): Promise<Root> {
  const { Parser } = await import("htmlparser2");
  const root: Root = { type: "root", children: [] };
  const open: (Root | Element)[] = [root];
  const parent = (): Root | Element => open.at(-1) ?? root;
  const parser = new Parser({
    onopentag(tagName, attributes) {
      if (!keep.has(tagName)) return void open.push(parent());
      const properties = attributesOf(tagName, attributes);
      const element: Element = { type: "element", tagName, properties, children: [] };
      parent().children.push(element);
      open.push(element);
    },
    ontext(text) {
      const { children } = parent();
      const last = children.at(-1);
      if (last?.type === "text") last.value += text;
      else children.push({ type: "text", value: text });
    },
    onclosetag: () => void open.pop(),
  });
  parser.end(html);
  return root;
}

/** Elements without content and end tag. */
const VOID: ReadonlySet<string> = new Set("br col hr img source wbr".split(" "));

/** A tree of `readHast` as HTML. The names in it must be of a fixed list: they are written as they are. */
export function writeHast(node: Nodes): string {
  if (node.type === "text") return escapeText(node.value);
  if (!("children" in node)) return "";
  const content = node.children
    .map((child: ElementContent | Root["children"][number]) => writeHast(child))
    .join("");
  if (node.type === "root") return content;
  const attributes = Object.entries(node.properties)
    .map(([name, value]) => ` ${name}="${escapeText(String(value)).replaceAll('"', "&quot;")}"`)
    .join("");
  return VOID.has(node.tagName)
    ? `<${node.tagName}${attributes} />`
    : `<${node.tagName}${attributes}>${content}</${node.tagName}>`;
}

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
