import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { AiInput, AiOperation, RewriteOp } from "../../server/core/ai.ts";
import { AI_OPERATIONS, REWRITE_OPS } from "../../server/core/ai.ts";
import { createBuiltin } from "../../server/ai/builtin/provider.ts";
import { cutAtWord } from "../../server/ai/builtin/extract.ts";
import { cutText, joinPieces } from "../../server/ai/builtin/pieces.ts";
import { Problem } from "../../server/lib/errors.ts";
import { findClaims } from "../../server/ai/guard.ts";

const builtin = createBuiltin();
const task = (operation: AiOperation, input: AiInput) => ({
  operation,
  input,
  instructions: undefined,
  part: "test",
  model: "builtin-1",
  signal: new AbortController().signal,
  outputTokensMax: 1000,
});
const write = (operation: AiOperation, input: AiInput) => builtin.write(task(operation, input));
/** Null where a model is needed. */
const writeOrNull = (operation: AiOperation, input: AiInput) =>
  write(operation, input).catch((error: unknown) => {
    if (error instanceof Problem && error.options.code === "needs_model") return null;
    throw error;
  });
const rewrite = async (text: string, ops: readonly RewriteOp[], more: Partial<AiInput> = {}) =>
  (await write("rewrite", { text, ops, ...more })).text;

const BAKERY =
  "Crumb bakes sourdough bread in Hackney every morning. The sourdough bread is made with organic flour, water and salt. Our ovens are heated with wood. Customers can order sourdough bread online before noon. Orders placed before noon are delivered the next morning. Parking is available nearby.";

describe("the builtin provider", () => {
  it("summarises by TextRank, in the order of the text", async () => {
    const { text, items } = await write("summarise", { text: BAKERY, count: 2 });
    expect(text).toBe(
      "Crumb bakes sourdough bread in Hackney every morning. Customers can order sourdough bread online before noon.",
    );
    expect(items?.map(({ origin }) => origin)).toEqual(["0", "3"]);
  });

  it.each([
    `# a${" ".repeat(20_000)}b`,
    `## a${"#".repeat(20_000)}b`,
    `## ${"What. ".repeat(3_000)}`,
    `${"![".repeat(10_000)}x`,
    `x${"](".repeat(10_000)}x`,
    `x ${"<a ".repeat(10_000)}`,
  ])("rewrites what would keep a careless pattern busy (%#)", async (text) => {
    expect((await rewrite(text, REWRITE_OPS)).length).toBeGreaterThan(0);
  });

  it("refuses to rewrite elements that nest without end", async () => {
    await expect(rewrite("<div>".repeat(5_000), ["drop_filler"], { format: "html" })).rejects.toMatchObject({
      type: "unprocessable_content",
    });
  });

  it("cuts a meta description at a word where no sentences fit", async () => {
    const text = `${"Our sourdough bread is baked with organic flour in a wood oven every day, ".repeat(3)}for you.`;
    const made = (await write("meta_description", { text })).text;
    expect(made.length).toBeLessThanOrEqual(156);
    expect(made.endsWith("…")).toBe(true);
    const kept = made.slice(0, -1);
    expect(text.startsWith(kept)).toBe(true);
    expect(text.charAt(kept.length)).toMatch(/[\s,]/);
  });

  it.each([
    ["one two three", 7, "one two"],
    ["one two three", 8, "one two"],
    ["one, two", 5, "one"],
    ["abcdefgh", 4, "abcd"],
    ["short", 5, "short"],
  ])("cuts %s to %i: %s", (text, chars, expected) => expect(cutAtWord(text, chars)).toBe(expected));

  it("suggests titles with the keyphrase first, none too wide", async () => {
    const { items = [] } = await write("title_suggestions", {
      text: BAKERY,
      keyphrase: "sourdough bread",
      brand: "Crumb",
    });
    expect(items.map(({ text }) => text)).toEqual([
      "Sourdough bread | Crumb",
      "Sourdough bread: what to know | Crumb",
      "Sourdough bread: what to know",
      "Sourdough bread at a glance | Crumb",
      "Sourdough bread at a glance",
    ]);
  });

  it("outlines, and finds questions with their answers", async () => {
    const text =
      "# Bread\n\n## How to store it?\n\nIn a bag.\n\n- not this\n\n## Prices\n\n### What is rye?\n\n## Why?\n\nSo.";
    expect((await write("outline", { text })).text).toBe(
      "- Bread\n  - How to store it?\n  - Prices\n    - What is rye?\n  - Why?",
    );
    expect((await write("faq", { text })).items).toEqual([
      { text: "How to store it?", answer: "In a bag." },
      { text: "Why?", answer: "So." },
    ]);
  });

  it("answers from the passage that covers the question, or not at all", async () => {
    const passages = [
      { id: "a", text: "We deliver in London." },
      { id: "b", text: "Store bread in a paper bag. It contains wheat. Come again." },
    ];
    expect(
      await write("answer", { text: "", question: "How do I store bread?", passages, count: 1 }),
    ).toMatchObject({
      text: "Store bread in a paper bag. It contains wheat.",
      items: [{ origin: "b" }],
    });
    expect((await write("answer", { text: "", question: "Do you sell shoes?", passages })).text).toBe("");
  });

  it.each([
    [5, "Thank you for your review, Ann. We are glad"],
    [3, "Thank you for your review, Ann. We are sorry that not everything"],
    [1, "Thank you for letting us know, Ann. We are sorry that we let you down"],
  ])("replies to %i stars", async (rating, start) =>
    expect((await write("reply", { text: "x", rating, author_name: "Ann" })).text.startsWith(start)).toBe(
      true,
    ),
  );

  it("replies to nobody by name, in the language of the review", async () =>
    expect((await write("reply", { text: "x", rating: 5, locale: "de-DE" })).text).toMatch(
      /^Vielen Dank für Ihre Bewertung\. /,
    ));
});

describe("rewriting", () => {
  /** Of a length that answers a question. */
  const ANSWER =
    "Choose a day and tell us how many people eat, and the baskets are at your office before ten in the morning.";
  const cases: readonly (readonly [RewriteOp, string, string, Partial<AiInput>?])[] = [
    [
      "answer_first",
      "# Store bread\n\nWe love it, and so do they. Store bread in a bag and in the dark.\n",
      "# Store bread\n\nStore bread in a bag and in the dark.\n\nWe love it, and so do they.\n",
    ],
    [
      "answer_first",
      "This is what we charge.\n\nA loaf of our best bread costs £4 here.\n",
      "A loaf of our best bread costs £4 here.\n\nThis is what we charge.\n\n",
      { question: "What does a loaf cost?" },
    ],
    ["answer_first", "Store bread so. More.", "Store bread so. More.", { keyphrase: "store bread" }],
    // What begins with an answer is left as it is.
    [
      "answer_first",
      "Store bread in a bag and in the dark. We love it. Some store bread in a clay pot, which is good.",
      "Store bread in a bag and in the dark. We love it. Some store bread in a clay pot, which is good.",
      { keyphrase: "store bread" },
    ],
    ["drop_filler", "In order to bake, we wait.", "To bake, we wait."],
    ["drop_filler", "Please note that we close due to the fact that it rains.", "We close because it rains."],
    ["drop_filler", "It contains wheat in order to rise.", "It contains wheat in order to rise."],
    ["drop_filler", "```\nin order to\n```\n", "```\nin order to\n```\n"],
    [
      "split_long",
      "We bake all our loaves in a wood oven that was built in the yard behind the shop by hand, and we deliver them to all of London before the morning.",
      "We bake all our loaves in a wood oven that was built in the yard behind the shop by hand. We deliver them to all of London before the morning.",
    ],
    [
      "split_long",
      "All our loaves rest for a very long time in baskets that we bought from an old mill in the north, which is why their crust is thin and crisp.",
      "All our loaves rest for a very long time in baskets that we bought from an old mill in the north. This is why their crust is thin and crisp.",
    ],
    ["split_long", "Short, and we like it.", "Short, and we like it."],
    [
      "question_headings",
      `# Bread\n\n## Storing bread\n\n${ANSWER}\n\n## Order online\n\n${ANSWER}\n\n## Order here\n\nShort.\n\n#### Order\n\n${ANSWER}\n`,
      `# Bread\n\n## Storing bread\n\n${ANSWER}\n\n## How do you order online?\n\n${ANSWER}\n\n## Order here\n\nShort.\n\n#### Order\n\n${ANSWER}\n`,
    ],
    ...(
      [
        ["How to slice it", "How do you slice it?"],
        ["What to bring", "What should you bring?"],
        ["Where we deliver", "Where do we deliver?"],
        ["What we can offer", "What can we offer?"],
        ["How long it takes", "How long it takes"],
        ["When you go away", "When you go away"],
      ] as const
    ).map(
      ([heading, asked]) =>
        ["question_headings", `## ${heading}\n\n${ANSWER}\n`, `## ${asked}\n\n${ANSWER}\n`, {}] as const,
    ),
    [
      "list_from_series",
      "We sell three things: fresh bread, rolls and buns.\n\nEnd.",
      "We sell three things:\n\n- Fresh bread\n- Rolls\n- Buns\n\nEnd.",
    ],
    ["list_from_series", "We sell: bread and rolls.", "We sell: bread and rolls."],
    [
      "drop_filler",
      `<p id="a">In order to <b>bake</b>.</p><ul><li>in order to</li></ul>`,
      `<p id="a">To <b>bake</b>.</p><ul><li>in order to</li></ul>`,
      { format: "html" },
    ],
    [
      "list_from_series",
      "<p>Choose: a, b or c.</p>",
      "<p>Choose:</p><ul>\n<li>A</li>\n<li>B</li>\n<li>C</li>\n</ul>\n",
      { format: "html" },
    ],
  ];
  it.each(cases.map(([op, before, after, more = {}]) => [op, before, after, more] as const))(
    "%s: %s",
    async (op, before, after, more) => expect(await rewrite(before, [op], more)).toBe(after),
  );

  it("goes into what only holds other elements, and keeps their tags to the letter", async () => {
    const html = `<main><section title="a > b"><h2>Order bread</h2><p id="x>y">In order to eat. ${ANSWER}</p></section><ul><li>In order to</li></ul></main>`;
    expect(joinPieces(await cutText(html, "html"))).toBe(html);
    expect(await rewrite(html, ["drop_filler", "question_headings"], { format: "html" })).toBe(
      `<main><section title="a > b"><h2>How do you order bread?</h2><p id="x>y">To eat. ${ANSWER}</p></section><ul><li>In order to</li></ul></main>`,
    );
  });

  it.each([
    [
      "markdown" as const,
      "In order to **see**, [look](https://a.example/?b=1. c) at `in order to; x` &amp; go. It's £4.",
    ],
    [
      "html" as const,
      `<p>In order to see, <a href="/a?b=1&c=in order to">look</a> at Café &amp; £4; it&apos;s <b>in. Here</b></p>`,
    ],
  ])("leaves markup alone: %s", async (format, text) => {
    const after = text.replace("In order to", "To");
    expect(await rewrite(text, ["drop_filler"], { format })).toBe(after);
    const request = {
      engine: "x",
      operation: "rewrite" as const,
      input: { text, format },
      key_id: null,
      resource: null,
      request_id: "r",
      part: "p",
    };
    expect(await findClaims({ ...request, written: { text: after } })).toEqual([]);
  });

  it("moves no sentence out of the tag it begins in", async () => {
    const html = "<p>Hello there. <b>We bake. Store bread in bags and in the dark.</b></p>";
    expect(await rewrite(html, ["answer_first"], { format: "html", keyphrase: "store bread" })).toBe(html);
  });

  it("applies operations one after another", async () =>
    expect(
      await rewrite(
        "This is how we do it.\n\nIn order to store bread, wrap it in linen or paper.",
        ["drop_filler", "answer_first"],
        {
          keyphrase: "store bread",
        },
      ),
    ).toBe("To store bread, wrap it in linen or paper.\n\nThis is how we do it.\n\n"));

  it("cuts and joins any text to the same text", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            "# A\n\n",
            "Text one. Two.\n\n",
            "- x\n- y\n\n",
            "```\ncode\n```\n\n",
            "> q\n\n",
            "A\n===\n\n",
            "|a|\n|-|\n|b|\n\n",
            "    indented\n\n",
            "line\nbreak\n",
          ),
        ),
        async (parts) => {
          const text = parts.join("");
          expect(joinPieces(await cutText(text, "markdown"))).toBe(text);
        },
      ),
      { numRuns: 200 },
    ));
});

describe("all operations", () => {
  const words = fc.constantFrom(
    ..."Bread is baked in order to sell it . Order 5 loaves for £4.50 ! # Storing\n\n It contains nuts , which is why we: a, b and c ; Hackney – “quoted” \n\n - item \n\n How do you eat it?".split(
      " ",
    ),
  );
  const input = fc.array(words, { maxLength: 60 }).map((parts): AiInput => ({
    text: parts.join(" "),
    ops: REWRITE_OPS,
    question: "How to bake bread?",
    passages: [{ id: "p", text: parts.join(" ") }],
  }));

  it.each(AI_OPERATIONS)(
    "%s gives the same bytes for the same input, and claims nothing of its own",
    (operation) =>
      fc.assert(
        fc.asyncProperty(input, async (given) => {
          const first = await writeOrNull(operation, given);
          if (first === null) return;
          expect(JSON.stringify(await write(operation, given))).toBe(JSON.stringify(first));
          const request = {
            engine: "content",
            operation,
            input: given,
            key_id: null,
            resource: null,
            request_id: "r",
            part: "p",
          };
          expect(await findClaims({ ...request, written: first })).toEqual([]);
        }),
        { numRuns: 25 },
      ),
  );

  it("streams what it writes", async () => {
    const given = task("rewrite", { text: `${BAKERY}\n\n## More\n\nText.`, ops: ["drop_filler"] });
    let streamed = "";
    for await (const part of builtin.stream(given)) streamed += part;
    expect(streamed).toBe((await builtin.write(given)).text);
  });
});
