import type { IOptions } from "sanitize-html";

import { cutDeep } from "./depth.ts";

/**
 * `visitors`: what strangers wrote; every link is made to carry `nofollow noopener ugc`. `authors`: what the shop wrote;
 * its links say what their author says.
 */
export type Trust = "visitors" | "authors";

/** HTML cut down to what may be shown: no script, style, form, frame or event handler, no address but http(s), mail, telephone. */
export async function sanitise(html: string, trust: Trust): Promise<string> {
  const { default: sanitizeHtml } = await import("sanitize-html");
  const options = trust === "visitors" ? VISITORS : AUTHORS;
  let clean = await cutDeep(html);
  // What was cut away may change how the rest is read: it is clean when cleaning it again changes nothing.
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const next = sanitizeHtml(clean, options);
    if (next === clean) return clean;
    clean = next;
  }
  return clean;
}

const PASSES_MAX = 6;

const AUTHORS: IOptions = {
  allowedTags: [
    ..."h1 h2 h3 h4 h5 h6 p br hr blockquote q cite pre code kbd samp var".split(" "),
    ..."ul ol li dl dt dd table caption thead tbody tfoot tr th td col colgroup".split(" "),
    ..."a img figure figcaption picture source time abbr address article aside section div main nav header footer".split(
      " ",
    ),
    ..."b strong i em u s del ins mark small sub sup span details summary data dfn wbr".split(" "),
  ],
  allowedAttributes: {
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
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesAppliedToAttributes: ["href", "src", "cite"],
  allowProtocolRelative: false,
  // What these hold is no text of the page.
  nonTextTags: [
    "script",
    "style",
    "textarea",
    "option",
    "noscript",
    "template",
    "title",
    "svg",
    "math",
    "iframe",
  ],
  transformTags: {
    // A new window must not reach back to the page that opened it.
    a: (tagName, attribs) =>
      attribs.target === undefined
        ? { tagName, attribs }
        : { tagName, attribs: { ...attribs, rel: joinRel(attribs.rel, ["noopener"]) } },
  },
};

const VISITORS: IOptions = {
  ...AUTHORS,
  allowedTags: "p br blockquote ul ol li a b strong i em u s del code pre".split(" "),
  allowedAttributes: { a: ["href", "rel"] },
  transformTags: {
    a: (tagName, { href }) => ({
      tagName,
      attribs: { ...(href === undefined ? {} : { href }), rel: "nofollow noopener ugc" },
    }),
  },
};

const joinRel = (rel: string | undefined, more: readonly string[]): string =>
  [...new Set([...(rel ?? "").split(/\s+/), ...more])].filter((token) => token !== "").join(" ");
