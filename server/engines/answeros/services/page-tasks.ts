import { html as markup, html } from "../../../lib/html.ts";
import type { JudgedText } from "../../../core/ports.ts";
import { toSafeHtml } from "../../../lib/text/read.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { generateMarkup } from "../rules/generate-markup.ts";
import type { MarkupSource } from "../rules/generate-markup.ts";
import { judgeMarkup } from "./judge-markup.ts";
import { lintFile } from "../rules/lint-file.ts";
import { slimHtml } from "../rules/page-html.ts";
import { scoreText } from "../rules/score-page.ts";
import { suggestQuestions } from "../rules/suggest-questions.ts";
import { diffTexts } from "../rules/text-diff.ts";
import type { FileName } from "../schema/files.ts";
import type { MarkupType } from "../schema/markup.ts";
import { faqAnswersOf, metaOf, readFacts, scoreFacts } from "./facts.ts";
import type { ScoreContext, Source } from "./facts.ts";

// Results are kept small: what a thread returns is copied on the event loop.

/** Reads and scores a page: what it stores, its text, the answers of its FAQ markup, its score. */
export const scoreSource = defineWorkerTask({
  id: "answeros.score",
  size: ({ source, context }: { readonly source: Source; readonly context: ScoreContext }) =>
    source.html.length + (context.robots_txt?.length ?? 0),
  run: async ({ source, context }) => {
    const facts = await readFacts(source);
    return {
      meta: metaOf(facts, context.now),
      text: facts.text.text,
      faqAnswers: faqAnswersOf(facts),
      result: await scoreFacts(facts, context),
    };
  },
});

/** The score of a text of /v1/content as an article, on its own: used by `aeoOf`. */
export const scoreJudgedText = defineWorkerTask({
  id: "answeros.text-score",
  size: ({ text }: { readonly text: JudgedText; readonly now: number }) => text.body.length,
  run: async ({ text, now }) => {
    const html = await textHtml(text);
    const facts = await readFacts({ html, url: null, locale: text.locale, x_robots_tag: null });
    const around = { url: null, page_type: "article", entity: null, questions: [], robots: null } as const;
    return scoreText({ facts, ...around, now }).total;
  },
});

/** `textHtml` for texts of any length. */
export const renderText = defineWorkerTask({
  id: "answeros.text-html",
  size: ({ body }: JudgedText) => body.length,
  run: textHtml,
});

/** `slimHtml` for pages of any length. */
export const slimPage = defineWorkerTask({
  id: "answeros.slim",
  size: (html: string) => html.length,
  run: slimHtml,
});

/** Validates JSON-LD and compares it with a page: its HTML, or its text if it was read already. */
export const judgeMarkups = defineWorkerTask({
  id: "answeros.markup",
  size: ({ jsonld, page }: { readonly jsonld: readonly unknown[]; readonly page: Source | string | null }) =>
    (typeof page === "string" ? page : (page?.html ?? "")).length + JSON.stringify(jsonld).length,
  run: async ({ jsonld, page }) => {
    const text = typeof page === "string" || page === null ? page : (await readFacts(page)).text.text;
    return jsonld.map((one) => judgeMarkup(one, text));
  },
});

/** `lintFile` for files of any length. */
export const lintSiteFile = defineWorkerTask({
  id: "answeros.lint",
  size: ({ content }: { readonly name: FileName; readonly content: string }) => content.length,
  run: ({ name, content }) => lintFile(name, content),
});

/** JSON-LD of a type, generated from a page. */
export const draftMarkup = defineWorkerTask({
  id: "answeros.markup-draft",
  size: ({
    page,
  }: {
    readonly type: MarkupType;
    readonly page: Source;
    readonly about: Omit<MarkupSource, "facts">;
  }) => page.html.length,
  run: async ({ type, page, about }) => generateMarkup(type, { ...about, facts: await readFacts(page) }),
});

/** Questions that a page could answer. */
export const suggestFor = defineWorkerTask({
  id: "answeros.questions",
  size: ({
    page,
  }: {
    readonly page: Source | null;
    readonly entity: string;
    readonly existing: readonly string[];
    readonly count: number;
  }) => page?.html.length ?? 0,
  run: async ({ page, entity, existing, count }) =>
    suggestQuestions({ facts: page === null ? null : await readFacts(page), entity }, existing, count),
});

/** The main part of a page as safe HTML. */
export const mainHtmlOf = defineWorkerTask({
  id: "answeros.main-html",
  size: ({ html }: Source) => html.length,
  run: async (page: Source) => (await readFacts(page)).text.html,
});

/** The main part of a page as Markdown. */
export const mainMarkdownOf = defineWorkerTask({
  id: "answeros.main-markdown",
  size: ({ html }: Source) => html.length,
  run: async (page: Source) => {
    const { htmlToMarkdown } = await import("@mdream/js");
    return htmlToMarkdown((await readFacts(page)).text.html);
  },
});

interface RewriteTexts {
  readonly before: string;
  readonly after: string;
  readonly format: "markdown" | "html";
  readonly locale: string;
  readonly question: string | null;
  readonly now: number;
}

/** The changes of a rewrite, and the scores of both texts. */
export const compareRewrite = defineWorkerTask({
  id: "answeros.rewrite",
  size: ({ before, after }: RewriteTexts) => before.length + after.length,
  run: async (texts) => ({
    diff: diffTexts(texts.before, texts.after),
    score_before: await scoreAlone(texts, texts.before),
    score_after: await scoreAlone(texts, texts.after),
  }),
});

/**
 * The score of a text on its own: both texts of a rewrite are scored in the same minimal page, so that they are
 * comparable.
 */
async function scoreAlone({ format, locale, question, now }: RewriteTexts, body: string): Promise<number> {
  const safe = { html: await toSafeHtml({ body, format }) };
  const html = markup`<html lang="${locale}"><head></head><body><main>${safe}</main></body></html>`.html;
  const facts = await readFacts({ html, url: null, locale, x_robots_tag: null });
  const { total } = await scoreFacts(facts, {
    url: null,
    page_type: "article",
    entity: null,
    questions: question === null ? [] : [question],
    robots_txt: null,
    now,
  });
  return total;
}

/** A text of /v1/content as its future page: its head as far as known, its title as H1, its body. */
async function textHtml(text: JudgedText): Promise<string> {
  const { noindex, nosnippet, max_snippet: maxSnippet } = text.robots;
  const robots = [
    ...(noindex ? ["noindex"] : []),
    ...(nosnippet ? ["nosnippet"] : []),
    ...(maxSnippet === null ? [] : [`max-snippet:${maxSnippet}`]),
  ].join(", ");
  const body = { html: await toSafeHtml({ body: text.body, format: text.body_format }) };
  return html`<!doctype html>
    <html lang="${text.locale}">
      <head>
        <title>${text.seo_title ?? text.title}</title>
        ${text.description === null ? null : html`<meta name="description" content="${text.description}" />`}
        ${robots === "" ? null : html`<meta name="robots" content="${robots}" />`}
        ${text.canonical_url === null ? null : html`<link rel="canonical" href="${text.canonical_url}" />`}
        <meta property="article:modified_time" content="${text.updated_at}" />
      </head>
      <body>
        <main>
          <h1>${text.title}</h1>
          ${body}
        </main>
      </body>
    </html>`.html;
}
