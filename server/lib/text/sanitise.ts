import type { Schema } from "hast-util-sanitize";

import { cutDeep } from "./depth.ts";
import { readHast, writeHast } from "./hast.ts";
import type { Attributes } from "./hast.ts";
import { harmlessSources, isHarmlessUrl } from "./urls.ts";

/**
 * `visitors`: what strangers wrote; every link is made to carry `nofollow noopener ugc`. `authors`: what the shop wrote;
 * its links say what their author says.
 */
export type Trust = "visitors" | "authors";

/** HTML cut down to what may be shown: no script, style, form, frame or event handler, no address but http(s), mail, telephone. */
export async function sanitise(html: string, trust: Trust): Promise<string> {
  const { sanitize } = await import("hast-util-sanitize");
  const { keep, schema } = TRUST[trust];
  let clean = await cutDeep(html);
  // What was cut away may change how the rest is read: it is clean when cleaning it again changes nothing.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const next = writeHast(sanitize(await readHast(clean, keep, harmless), schema));
    if (next === clean) return clean;
    clean = next;
  }
  return clean;
}

const PASSES_MAX = 6;

/** What these hold is no text of the page. */
const NO_TEXT = "script style textarea option noscript template title svg math iframe".split(" ");

/** Of hast-util-sanitize, with the names that attributes have in HTML. */
const AUTHORS = {
  tagNames: [
    ..."h1 h2 h3 h4 h5 h6 p br hr blockquote q cite pre code kbd samp var".split(" "),
    ..."ul ol li dl dt dd table caption thead tbody tfoot tr th td col colgroup".split(" "),
    ..."a img figure figcaption picture source time abbr address article aside section div main nav header footer".split(
      " ",
    ),
    ..."b strong i em u s del ins mark small sub sup span details summary data dfn wbr".split(" "),
  ],
  attributes: {
    a: ["href", "title", "rel", "target", "hreflang"],
    img: ["src", "srcset", "sizes", "alt", "title", "width", "height", "loading"],
    source: ["srcset", "sizes", "type", "media"],
    time: ["datetime"],
    data: ["value"],
    blockquote: ["cite"],
    q: ["cite"],
    ol: ["start", "reversed", "type"],
    li: ["value"],
    td: ["colspan", "rowspan"],
    th: ["colspan", "rowspan", "scope"],
    col: ["span"],
    abbr: ["title"],
    "*": ["lang", "dir", "id"],
  },
  strip: NO_TEXT,
  // Its defaults concern pages of GitHub: ids with a prefix, task lists.
  ancestors: {},
  clobber: [],
  protocols: {},
  required: {},
} satisfies Schema;

const VISITORS = {
  ...AUTHORS,
  tagNames: "p br blockquote ul ol li a b strong i em u s del code pre".split(" "),
  attributes: { a: ["href"] },
  required: { a: { rel: "nofollow noopener ugc" } },
} satisfies Schema;

/** With the elements that are read: those which the schema allows, and those that it drops with their content. */
const withElements = (schema: typeof AUTHORS | typeof VISITORS) => ({
  schema,
  keep: new Set([...schema.tagNames, ...schema.strip]),
});

const TRUST = { authors: withElements(AUTHORS), visitors: withElements(VISITORS) };

/** The attributes of an element without harmful addresses. */
function harmless(tagName: string, attributes: Attributes): Attributes {
  const kept = Object.entries(attributes).flatMap(([name, value]): [string, string][] => {
    const clean = name === "srcset" ? harmlessSources(value) : value;
    const isHarmful = name === "srcset" ? clean === "" : URL_ATTRIBUTES.has(name) && !isHarmlessUrl(value);
    return isHarmful ? [] : [[name, clean]];
  });
  const { rel, target } = attributes;
  // A new window must not reach back to the page that opened it.
  if (tagName === "a" && target !== undefined) kept.push(["rel", joinRel(rel, ["noopener"])]);
  return Object.fromEntries(kept);
}

const URL_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "src", "cite"]);

const joinRel = (rel: string | undefined, more: readonly string[]): string =>
  [...new Set([...(rel ?? "").split(/\s+/), ...more])].filter((token) => token !== "").join(" ");
