import { array, constantFrom, sample } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sanitise } from "../../server/lib/text/sanitise.ts";
import type { Trust } from "../../server/lib/text/sanitise.ts";
import { HAS_BROWSER, openBrowser } from "../support/browser.ts";
import type { TestBrowser, WatchedPage } from "../support/browser.ts";

// What the sanitiser leaves is parsed by a real browser, serialised and parsed again, as editors and feed readers do: markup that
// is harmless to one parser may become a script by the second ("mutation").

const RUN = "<img src=x onerror=ran()>";
/** Elements whose content a browser reads by other rules than a parser of plain HTML: text, foreign content, tables, templates. */
const TURNS = [
  ..."svg math style title textarea noscript xmp iframe noembed noframes plaintext template select".split(
    " ",
  ),
  ..."table caption tr td mtext mi mglyph malignmark annotation-xml foreignObject desc form option p a b".split(
    " ",
  ),
];
/** A picture that runs when its title is read as markup. */
function asTitle(end: string): string {
  return `<img title="${end.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}&lt;img src=x onerror=ran()&gt;">`;
}
const CORPUS = [
  ...TURNS.flatMap((outer) => [
    `<${outer}>${RUN}</${outer}>`,
    `<${outer}><p title="</${outer}>${RUN}">x</p>`,
    `<${outer}><!--</${outer}>${RUN}-->`,
    `<p><${outer}><style><!--</style>${RUN}--></${outer}>`,
    `<math><mtext><${outer}><mglyph><style><!--</style>${RUN}`,
    `<svg><${outer}><style><a title="</style>${RUN}">`,
    `<${outer}/${RUN}`,
  ]),
  `<a href="java\tscript:ran()">x</a>`,
  `<a href="\u0001javascript:ran()">x</a>`,
  `<a href="javascript&colon;ran()">x</a>`,
  `<img src="x" srcset="x" alt="&quot; onerror=&quot;ran()">`,
  `<img src='x"onerror="ran()'>`,
  "<img src=`x`onerror=ran()>",
  `<img/src=x/onerror=ran()//`,
  `<!--><img src=x onerror=ran()>-->`,
  `<!--!> <img src=x onerror=ran()> <!-->`,
  `<![CDATA[<img src=x onerror=ran()>]]>`,
  `<?xml <img src=x onerror=ran()>?>`,
  `</p/x<img src=x onerror=ran()>`,
  `<scr<script>ipt>ran()</scr</script>ipt>`,
  `<details open ontoggle=ran()>x</details>`,
  `<form><math><mtext></form><form><mglyph><style></math>${RUN}`,
  // Content of SVG and MathML that is read as HTML, and back: published ways through sanitisers that parse as browsers do.
  `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>${RUN}">`,
  `<math><mtext><table><mglyph><style><!--</style>${asTitle("-->")}`,
  `<math><annotation-xml encoding="text/html"><style>${RUN}</style></annotation-xml></math>`,
  `<svg><annotation-xml><foreignobject><style><!--</style><p id="-->${RUN.replaceAll('"', "")}">`,
  `<svg></p><style><a id="</style>${RUN}">`,
  `<svg><desc><noscript>&lt;/noscript&gt;&lt;/desc&gt;&lt;s&gt;&lt;/s&gt;&lt;style&gt;${asTitle("</style>")}`,
  `<a><svg><desc><a><table><a></table><style><a id="</style>${RUN}"></a></style></svg></a>`,
  `<table><caption><svg><title></caption><style><!--</style>${RUN}-->`,
  `<math><mi//xlink:href="data:x,<script>ran()</script>">`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'>${RUN}</svg>#x">`,
  `<select><template><style><!--</select>${RUN}--></style></template></select>`,
  `<noscript><style></noscript>${RUN}</style></noscript>`,
  `<template><style></template>${RUN}</style></template>`,
  `<dialog open><xmp><p title="</xmp>${RUN}"></xmp></dialog>`,
  `<textarea><script></textarea>${RUN}</script>`,
  `<!DOCTYPE p [<!ENTITY x "${RUN}">]>&x;`,
  `<scr\u0000ipt>ran()</scr\u0000ipt><img\u0000 src=x onerror=ran()>`,
  `<p id="&#x3c;img src=x onerror=ran()&#x3e;">&lt;img src=x onerror=ran()&gt;</p>`,
  `<source srcset="javascript:ran() 1x, x 2x"><img srcset="x 1x,javascript:ran()" src=x>`,
  // Deeper than a browser nests: what is there is moved up, out of the element that made it harmless.
  ...[250, 257, 500, 506, 511, 512, 600].flatMap((depth) => {
    const deep = "<div>".repeat(depth);
    return [
      `${deep}<svg><style><a title="</style>${RUN}">`,
      `${deep}<table><caption><svg><title><table><caption></caption></table><style><a id="</style>${RUN}"></a>`,
      `${deep}<math><mtext><style><!--</style>${RUN}-->`,
      `<svg>${"<g>".repeat(depth)}<desc>${RUN}`,
      `${"<b><p>".repeat(depth)}${RUN}`,
      `${"<ul><li>".repeat(depth)}<svg></li><style><a id="</style>${RUN}">`,
    ];
  }),
];
const FRAGMENTS = [
  ...TURNS.flatMap((name) => [`<${name}>`, `</${name}>`]),
  RUN,
  "<!--",
  "-->",
  "--!>",
  "<![CDATA[",
  "]]>",
  `<p title="`,
  `">`,
  "'",
  "&lt;",
  "&quot;",
  "x",
  "<",
  "/>",
  "<div>".repeat(300),
  "</style>",
  "</noscript>",
  "</template>",
  `<annotation-xml encoding="text/html">`,
  `<a id="`,
  `<img title="--&gt;&lt;img src=x onerror=ran()&gt;">`,
  "&#x3c;img src=x onerror=ran()&#x3e;",
  "\u0000",
  "<?",
];
const ALLOWED = new Set(
  (
    "html head body h1 h2 h3 h4 h5 h6 p br hr blockquote q cite pre code kbd samp var ul ol li dl dt dd table caption thead tbody tfoot tr th td " +
    "col colgroup a img figure figcaption picture source time abbr address article aside section div main nav header footer " +
    "b strong i em u s del ins mark small sub sup span details summary data dfn wbr"
  ).split(" "),
);

describe.runIf(HAS_BROWSER)(
  "sanitised HTML in a browser",
  () => {
    let browser: TestBrowser;
    let watched: WatchedPage;
    beforeAll(async () => {
      browser = await openBrowser();
      watched = await browser.open();
      await watched.page.setContent("<!doctype html><title>x</title><main></main>");
      await watched.page.evaluate("window.count = 0; window.ran = () => { window.count += 1; };");
    }, 60_000);
    afterAll(() => browser?.close());

    /** Parses each text, serialises it and parses it again; what ran, and what is there that may not be. */
    const parse = (texts: readonly string[]): Promise<{ ran: number; found: string[] }> =>
      watched.page.evaluate(`(async () => {
      const found = new Set();
      window.count = 0;
      const place = document.querySelector("main");
      // As a page does, without script (elements in noscript), and in elements that contain text of SVG and MathML.
      const readers = [
        (html) => { place.innerHTML = html; return place; },
        (html) => new DOMParser().parseFromString(html, "text/html").body,
        (html) => { place.innerHTML = "<svg><foreignObject></foreignObject></svg>"; const inner = place.querySelector("foreignObject"); inner.innerHTML = html; return inner; },
        (html) => { const [template, outer] = [document.createElement("template"), document.createElement("div")]; template.innerHTML = html; outer.append(template.content); return outer; },
      ];
      for (const text of ${JSON.stringify(texts)}) for (const read of readers) {
        let html = text;
        for (let pass = 0; pass < 3; pass += 1) {
          const root = read(html);
          for (const element of root.querySelectorAll("*")) {
            found.add(element.namespaceURI === "http://www.w3.org/1999/xhtml" ? element.localName : "foreign " + element.localName);
            for (const { name, value } of element.attributes) {
              if (/^on|^style$|^srcdoc$/i.test(name)) found.add(name + " of " + text);
              if (/^(href|src|action|formaction)$/.test(name) && /^[\\s\\u0000-\\u001f]*(javascript|data|vbscript)\\s*:/i.test(value)) found.add(name + "=" + value);
            }
          }
          html = root.innerHTML;
        }
      }
      // Images that fail report it in a later turn.
      await new Promise((resolve) => setTimeout(resolve, 300));
      place.innerHTML = "";
      return { ran: window.count, found: [...found] };
    })()`);

    it("runs what is not sanitised, so that this test can fail", async () => {
      const { found, ran } = await parse([RUN]);
      expect(ran).toBeGreaterThan(0);
      expect(found).toContain(`onerror of ${RUN}`);
    });

    it.each(["authors", "visitors"] as const)("runs nothing of the corpus (%s)", async (trust) => {
      await expectHarmless(CORPUS, trust);
    });

    it.each(["authors", "visitors"] as const)("runs nothing of random combinations (%s)", async (trust) => {
      const any = array(constantFrom(...FRAGMENTS), { minLength: 2, maxLength: 12 }).map((parts) =>
        parts.join(""),
      );
      await expectHarmless(sample(any, 2_000), trust);
    });

    async function expectHarmless(texts: readonly string[], trust: Trust): Promise<void> {
      const clean = await Promise.all(texts.map((text) => sanitise(text, trust)));
      const { found, ran } = await parse(clean);
      expect(ran).toBe(0);
      expect(found.filter((name) => !ALLOWED.has(name))).toEqual([]);
    }
  },
  120_000,
);
