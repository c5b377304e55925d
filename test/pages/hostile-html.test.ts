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
      for (const text of ${JSON.stringify(texts)}) {
        let html = text;
        for (let pass = 0; pass < 3; pass += 1) {
          place.innerHTML = html;
          for (const element of place.querySelectorAll("*")) {
            found.add(element.namespaceURI === "http://www.w3.org/1999/xhtml" ? element.localName : "foreign " + element.localName);
            for (const { name, value } of element.attributes) {
              if (/^on|^style$|^srcdoc$/i.test(name)) found.add(name + " of " + text);
              if (/^(href|src|action|formaction)$/.test(name) && /^[\\s\\u0000-\\u001f]*(javascript|data|vbscript)\\s*:/i.test(value)) found.add(name + "=" + value);
            }
          }
          html = place.innerHTML;
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
