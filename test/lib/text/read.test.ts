import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { keyphraseOf, countMatches, coverage, phrasePosition } from "../../../server/lib/text/keyphrase.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";
import { readPage, readRobots } from "../../../server/lib/text/page.ts";
import { isPassive } from "../../../server/lib/text/passive.ts";
import { isQuestion } from "../../../server/lib/text/questions.ts";
import { readText } from "../../../server/lib/text/read.ts";
import { keywordsOf } from "../../../server/lib/text/keywords.ts";
import { sanitise } from "../../../server/lib/text/sanitise.ts";
import { countTransitions, longestSameStart } from "../../../server/lib/text/transitions.ts";
import { cpuMs } from "../../support/longest-turn.ts";

const SANITISING_MS = 5_000;

const html = (body: string, more: object = {}) => readText({ body, format: "html", locale: "en", ...more });
const blocks = async (body: string, format: "html" | "markdown" = "html") =>
  (await readText({ body, format, locale: "en" })).blocks.map(({ kind, level, text }) => [kind, level, text]);

describe("hostile texts", () => {
  const far = 50_000;

  it.each([
    ["<b>".repeat(far), "html"],
    ["<b>".repeat(far / 2) + "</i>".repeat(far / 2), "html"],
    ["<a href='/x'>".repeat(far / 10), "html"],
  ] as const)("reads what nests without end (%#)", async (body, format) => {
    const { text } = await readText({ body: `<p>Bread.</p>${body}Never read.`, format, locale: "en" });
    expect(text).toBe("Bread.");
  });

  it.each([
    "> ".repeat(far),
    "1. ".repeat(far),
    "- ".repeat(far),
    "a_".repeat(far),
    "**a".repeat(far),
    "x<!--".repeat(far / 2),
    "- a\n".repeat(far / 5 + 1),
    `|${"a|".repeat(5_000)}\r|${"-|".repeat(5_000)}\r${"|a\r".repeat(2_000)}`,
  ])("refuses Markdown whose marks never end (%#)", async (body) => {
    await expect(readText({ body, format: "markdown", locale: "en" })).rejects.toMatchObject({
      type: "unprocessable_content",
    });
  });

  // Sixty-four languages of 20,000 words took 390 MB, and a thread has 256 for the texts of all customers.
  it("keeps ten thousand words of sixteen languages in memory", async () => {
    const first = await loadLanguage("en-x-first");
    const lower = vi.spyOn(String.prototype, "toLocaleLowerCase");
    try {
      for (let word = 0; word < 20_000; word += 1) first.stem(`w${word % 10_001}`);
      expect(lower.mock.calls.length).toBeGreaterThan(19_000);
    } finally {
      lower.mockRestore();
    }
    for (let more = 0; more < 16; more += 1) await loadLanguage(`en-x-more${more}`);
    expect(await loadLanguage("en-x-first")).not.toBe(first);
  });

  it("reads a page whose unclosed elements a browser would multiply", async () => {
    const marked = Array.from({ length: 5_000 }, (_, at) => `<p><b id="b${at}">`).join("");
    const page = await readPage({ html: `<title>Bread</title><p>Rye.</p>${marked}`, url: "https://a.b/" });
    expect(page.title).toBe("Bread");
    expect(page.text.text).toBe("Rye.");
  });
});

describe("sanitise", () => {
  it("A20: cuts scripts and their addresses, and makes visitors' links worthless", async () => {
    const dirty = `<p>Hi <script>alert(1)</script><a href="javascript:alert(1)">x</a> <a href="https://a.b">y</a></p>`;
    expect(await sanitise(dirty, "visitors")).toBe(
      `<p>Hi <a rel="nofollow noopener ugc">x</a> <a href="https://a.b" rel="nofollow noopener ugc">y</a></p>`,
    );
  });

  it.each([
    `<img src="x" onerror="alert(1)">`,
    `<svg><script>alert(1)</script></svg>`,
    `<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
    `<a href="jAvAsCrIpT:alert(1)">x</a>`,
    `<a href="&#106;avascript:alert(1)">x</a>`,
    `<a href="//evil.example">x</a>`,
    `<img src="data:text/html,<script>alert(1)</script>">`,
    `<iframe src="https://evil.example"></iframe>`,
    `<form action="/x"><input name="a"></form>`,
    `<p style="background:url(javascript:alert(1))">x</p>`,
    `<base href="https://evil.example">`,
    `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
    `<object data="x"></object><embed src="x">`,
    `<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>`,
  ])("leaves nothing that runs or leads astray: %s", async (dirty) => {
    for (const trust of ["authors", "visitors"] as const) {
      const clean = await sanitise(dirty, trust);
      // What was a tag and became text is harmless: only what still stands inside a tag is looked at.
      const tags = (clean.match(/<[^>]*>/g) ?? []).join(" ");
      expect(tags).not.toMatch(/script|onerror|style|iframe|form|data:|base|meta|object|embed|href="\/\//i);
    }
  });

  it("lets an author's links be what they are, but never reach back", async () => {
    expect(await sanitise(`<a href="/a">a</a><a href="/b" target="_blank">b</a>`, "authors")).toBe(
      `<a href="/a">a</a><a href="/b" target="_blank" rel="noopener">b</a>`,
    );
  });

  it.each([
    ["elements in one that is dropped", `<font>${"<br>".repeat(250_000)}`],
    ["attributes", `<a ${Array.from({ length: 100_000 }, (_, at) => `a${at}`).join(" ")}>x</a>`],
    ["unclosed elements", "<div>".repeat(200_000)],
    ["unclosed formatting of paragraphs", "<p><b><i>".repeat(100_000)],
    ["unclosed tags", "<a ".repeat(300_000)],
    ["opened tags", "<".repeat(1_000_000)],
    ["sources", `<img srcset="${"a.png 1x, ".repeat(100_000)}">`],
    ["digits in sources", `<img srcset="${"1".repeat(500_000)} ${"1w,".repeat(100_000)}">`],
  ])("takes no longer for a megabyte of %s than for another", async (_, dirty) => {
    expect(await cpuMs(SANITISING_MS, () => sanitise(dirty, "authors"))).toBeLessThan(SANITISING_MS);
  });

  it("keeps text, attributes and addresses as they were", async () => {
    const html = `<p id="a" lang="en">a &amp; b &lt;c&gt; "d" é f<br />g</p><img src="/x" alt="" title="&quot;h&quot;" />`;
    expect(await sanitise(html, "authors")).toBe(html);
    expect(await sanitise("<col><source srcset=',' type=x>&copy;<a href>x</a>", "authors")).toBe(
      `<col /><source type="x" />©<a href="">x</a>`,
    );
  });

  it("is done once: cleaning again changes nothing", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            "<p>",
            "</p>",
            "<b>",
            "<a href='javascript:x'>",
            "<script>",
            "x & y",
            "<",
            '"',
            "<img src=x>",
          ),
          {
            maxLength: 12,
          },
        ),
        async (parts) => {
          const once = await sanitise(parts.join(""), "visitors");
          expect(await sanitise(once, "visitors")).toBe(once);
        },
      ),
      { numRuns: 200 },
    ));
});

describe("readText", () => {
  it("cuts HTML into blocks, whatever they are nested in", async () => {
    const body = `<h1>Bread</h1><div>Loose <b>text</b><p>Own</p>tail</div><ul><li>One<ul><li>Two</li></ul></li></ul>
      <blockquote><p>Said</p></blockquote><table><tr><th>A</th><td>1</td></tr></table><pre>code()</pre><p>a<br>b</p>`;
    expect(await blocks(body)).toEqual([
      ["heading", 1, "Bread"],
      ["paragraph", 0, "Loose text"],
      ["paragraph", 0, "Own"],
      ["paragraph", 0, "tail"],
      ["list_item", 0, "One"],
      ["list_item", 0, "Two"],
      ["quote", 0, "Said"],
      ["cell", 0, "A"],
      ["cell", 0, "1"],
      ["paragraph", 0, "a b"],
    ]);
  });

  it("reads Markdown as GitHub does", async () => {
    const body =
      "## Why?\n\nBecause **so**.\n\n- [x] done\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script>";
    expect(await blocks(body, "markdown")).toEqual([
      ["heading", 2, "Why?"],
      ["paragraph", 0, "Because so."],
      ["list_item", 0, "done"],
      ["cell", 0, "A"],
      ["cell", 0, "B"],
      ["cell", 0, "1"],
      ["cell", 0, "2"],
    ]);
  });

  it("tells links by where they lead", async () => {
    const body = `<a href="/a">a</a><a href="https://www.shop.example/b">b</a><a href="https://x.example" rel="Nofollow">c</a>
      <a href="mailto:a@b.c">d</a><a href="#e">e</a><a href="tel:1"><img src="i.png" alt="f"></a>`;
    const { links, images } = await html(body, { base_url: "https://shop.example/p/" });
    expect(links.map(({ href, text, kind, is_followed }) => [href, text, kind, is_followed])).toEqual([
      ["https://shop.example/a", "a", "internal", true],
      ["https://www.shop.example/b", "b", "internal", true],
      ["https://x.example/", "c", "outbound", false],
      ["mailto:a@b.c", "d", "other", true],
      ["https://shop.example/p/#e", "e", "other", true],
      ["tel:1", "f", "other", true],
    ]);
    expect(images).toEqual([{ src: "https://shop.example/p/i.png", alt: "f" }]);
  });

  it("knows an image without alt from one with an empty one", async () => {
    const { images } = await html(`<img src="a.png"><img src="b.png" alt=""><img src="c.png" alt="Bread">`);
    expect(images.map(({ alt }) => alt)).toEqual([null, "", "Bread"]);
  });

  it("reads the main part of a page alone", async () => {
    const page = `<nav><a href="/">Home</a></nav><main><p>Bread</p></main><footer>Imprint</footer>`;
    expect((await html(page, { scope: "main" })).text).toBe("Bread");
    expect((await html(`<header>Top</header><p>Bread</p><aside>Ads</aside>`, { scope: "main" })).text).toBe(
      "Bread",
    );
    expect((await html(page)).text).toBe("Home\n\nBread\n\nImprint");
  });

  it("tells lists and tables", async () => {
    const { lists, tables } = await html(
      `<ol><li>One <ul><li>In</li></ul></li><li>Two</li></ol><table><tr><th>A</th><th>B</th></tr><tr><td>1</td></tr></table>`,
    );
    expect(lists).toEqual([
      { is_ordered: true, items: ["One", "Two"] },
      { is_ordered: false, items: ["In"] },
    ]);
    expect(tables).toEqual([{ rows: 2, columns: 2, headers: ["A", "B"] }]);
  });

  it("counts the same whatever the text: parts add up", () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 300 }),
        fc.constantFrom("markdown" as const, "html" as const),
        async (body, format) => {
          const model = await readText({ body, format, locale: "en" });
          expect(model.counts.sentences).toBe(model.sentences.length);
          expect(model.counts.words).toBe(model.blocks.reduce((sum, block) => sum + block.word_count, 0));
          expect(model.counts.syllables).toBeGreaterThanOrEqual(model.counts.words);
          expect(model.counts.characters).toBeGreaterThanOrEqual(model.counts.letters);
          expect(await readText({ body, format, locale: "en" })).toEqual(model);
        },
      ),
      { numRuns: 100 },
    ));
});

describe("style", () => {
  it.each([
    ["Our bread is baked daily", true],
    ["It was not freshly eaten", true],
    ["The loaves were carefully and slowly made", false],
    ["They have been kept warm", true],
    ["We bake bread", false],
    ["The dough is red", false],
    ["There are a hundred loaves", false],
    ["I am tired", false],
    ["It wasn’t sold", true],
    ["", false],
  ])("passive: %s: %s", (text, expected) => expect(isPassive(text.split(" "))).toBe(expected));

  it.each([
    ["However we bake at night", true],
    ["We bake and for example fry", true],
    ["We bake bread", false],
    ["Butter is spread", false],
  ])("transition: %s: %s", (text, expected) =>
    expect(countTransitions([{ words: text.split(" ") }], { code: "en" })).toBe(expected ? 1 : 0),
  );

  it("tells the longest run of sentences with one beginning, and transitions of known languages alone", async () => {
    const { sentences, language } = await html("<p>We bake. We sell. WE rest. You eat. We wave.</p>");
    expect(longestSameStart(sentences)).toBe(3);
    expect(countTransitions(sentences, language)).toBe(0);
    expect(countTransitions(sentences, await loadLanguage("pl"))).toBeNull();
  });

  it.each([
    ["How do I store bread?", true],
    ["How to store bread", true],
    ["What is sourdough", true],
    ["Where we deliver", false],
    ["Our bread", false],
    ["What makes it sour", true],
    ["¿Qué es?", true],
  ])("question: %s: %s", async (text, expected) =>
    expect(isQuestion(text, await loadLanguage("en"))).toBe(expected),
  );
});

describe("keyphrase", () => {
  it("is found by stems, in any order, sentence by sentence", async () => {
    const { sentences, language } = await html(
      "<p>Fresh breads, delivered. Deliver the bread! Bread only. A delivery.</p>",
    );
    const phrase = keyphraseOf("bread delivery", language);
    expect(phrase.stems).toEqual(["bread", "deliveri"]);
    expect(countMatches(keyphraseOf("deliver bread", language), sentences)).toBe(2);
    expect(countMatches(keyphraseOf("of the", language), sentences)).toBe(0);
    expect(coverage(phrase, language.stems("Bread"))).toBe(0.5);
  });

  it("knows where the whole phrase begins", async () => {
    const language = await loadLanguage("en");
    const phrase = keyphraseOf("sourdough bread", language);
    expect(phrasePosition(phrase, "Sourdough breads in London", language)).toBe(0);
    expect(phrasePosition(phrase, "The best sourdough bread", language)).toBeCloseTo(9 / 24, 6);
    expect(phrasePosition(phrase, "Bread of sourdough", language)).toBeNull();
  });

  it("keywords are terms that are repeated, and stop at stop words and punctuation", async () => {
    const language = await loadLanguage("en");
    const text =
      "Sourdough bread and rye bread, says Ada. Sourdough breads keep. Rye, bread and breads. Fresh bread";
    expect(keywordsOf([text], language, 3).map(({ text: term, count }) => [term, count])).toEqual([
      ["bread", 6],
      ["sourdough bread", 2],
    ]);
  });
});

describe("readPage", () => {
  const url = "https://shop.example/p/bread";

  it("tells what the head says", async () => {
    const page = await readPage({
      url,
      html: `<!doctype html><html lang="en-GB"><head><title> Bread
        | Crumb</title><meta name="Description" content="Fresh"><link rel="canonical" href="/bread">
        <meta name="robots" content="max-snippet:40"><meta name="googlebot" content="NOINDEX">
        <meta property="og:title" content="OG"><script type="application/ld+json">{"@type":"Product"}</script></head>
        <body><main><p>Hi <time datetime="2026-05-01">May</time></p></main><svg><title>no</title></svg></body></html>`,
      crawler: "googlebot",
    });
    expect(page).toMatchObject({
      title: "Bread | Crumb",
      description: "Fresh",
      lang: "en-GB",
      canonical: "https://shop.example/bread",
      robots: { noindex: true, nofollow: false, nosnippet: false, max_snippet: 40 },
      json_ld: ['{"@type":"Product"}'],
      properties: { "og:title": "OG" },
      times: ["2026-05-01"],
    });
    expect(page.text.text).toBe("Hi May");
  });

  it("tells what is not there", async () => {
    const { text, ...page } = await readPage({ url, html: "" });
    expect(page).toMatchObject({ title: null, description: null, lang: null, canonical: null, json_ld: [] });
    expect(text.counts.words).toBe(0);
  });

  it.each([
    [["noindex, nofollow"], { noindex: true, nofollow: true }],
    [["none"], { noindex: true, nofollow: true }],
    [[null, "googlebot: nosnippet"], { nosnippet: true }],
    [["max-snippet: -1"], { max_snippet: null, nosnippet: false }],
    [["max-snippet:0"], { nosnippet: true, max_snippet: 0 }],
    [["max-snippet:50", "max-snippet:20"], { max_snippet: 20 }],
    [["max-image-preview:large, unavailable_after: 2026-01-01"], { noindex: false, max_snippet: null }],
  ])("robots %j", (rules, expected) => expect(readRobots(rules)).toMatchObject(expected));
});

describe("long texts", () => {
  // ICU's segmenter takes time by the square of what it is given at once; a stranger's text must not.
  it.each([
    ["words without a full stop", "word ".repeat(40_000)],
    ["no space at all", "x".repeat(200_000)],
    ["full stops alone", ". ".repeat(100_000)],
    ["abbreviations alone", "e.g. ".repeat(40_000)],
    ["one long sentence, then short ones", `${"word ".repeat(20_000)}. ${"Hi. ".repeat(25_000)}`],
  ])(
    "%s",
    async (_, body) => {
      const { counts } = await readText({ body, format: "html", locale: "en" });
      expect(counts.words).toBeLessThanOrEqual(body.length / 2);
    },
    30_000,
  );

  it("are segmented as short ones are", async () => {
    const language = await loadLanguage("en");
    const sentence = "Dr. Smith, who bakes at 5 a.m. daily, sells 3.5 kg of bread to Mr. Hill's shop.";
    const text = Array.from({ length: 300 }, () => sentence).join(" ");
    expect(language.sentences(text)).toEqual(Array.from({ length: 300 }, () => sentence));
    expect(language.words(text)).toEqual(Array.from({ length: 300 }, () => language.words(sentence)).flat());
  });
});
