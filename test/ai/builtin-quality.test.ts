import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { AiInput, AiOperation, RewriteOp } from "../../server/core/ai.ts";
import { REWRITE_OPS } from "../../server/core/ai.ts";
import { createBuiltin } from "../../server/ai/builtin/provider.ts";
import { compareRewrite } from "../../server/engines/answeros/services/page-tasks.ts";
import { metaChecks } from "../../server/engines/content/rules/seo-score.ts";
import { Problem } from "../../server/lib/errors.ts";
import { loadLanguage } from "../../server/lib/text/language.ts";
import { readText } from "../../server/lib/text/read.ts";
import { measureTitle } from "../../server/lib/text/title-width.ts";

/** Thirty texts as a shop has them, written for this test: 26 in English, two each in German and French. */
const texts = z
  .array(
    z.object({
      locale: z.string(),
      title: z.string(),
      keyphrase: z.string(),
      question: z.string(),
      text: z.string(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL("texts.json", import.meta.url), "utf8")));
const cases = texts.map((text) => [`${text.title} (${text.locale})`, text] as const);

const builtin = createBuiltin();
/** What the builtin provider writes; null where it says that a model is needed. */
async function write(operation: AiOperation, input: AiInput) {
  try {
    return await builtin.write({
      operation,
      input,
      instructions: undefined,
      part: "test",
      model: "builtin-1",
      signal: new AbortController().signal,
      outputTokensMax: 1000,
    });
  } catch (error) {
    if (error instanceof Problem && error.options.code === "needs_model") return null;
    throw error;
  }
}

const checkOf = (id: string, meta: { titlePx?: number; descriptionChars?: number }) =>
  metaChecks({
    meta: {
      titlePx: 400,
      descriptionChars: 140,
      slugChars: 10,
      isIndexable: true,
      isSnippetAllowed: true,
      canonical: "own",
      ...meta,
    },
  } as Parameters<typeof metaChecks>[0]).find((check) => check.id === id)?.status;

describe.each(cases)("%s", (_name, text) => {
  it("gets a meta description that passes its check, or none", async () => {
    const { sentences } = await readText({ body: text.text, format: "markdown", locale: text.locale });
    const made = await write("meta_description", text);
    if (made === null) {
      expect(sentences.map((sentence) => sentence.text).join(" ").length).toBeLessThan(121);
      return;
    }
    expect([checkOf("m2", { descriptionChars: made.text.length }), made.text]).toEqual(["good", made.text]);
  });

  it("gets keywords that it repeats, or none", async () => {
    const language = await loadLanguage(text.locale);
    const all = language.stems(text.text).join(" ");
    for (const { text: keyword } of (await write("keywords", text))?.items ?? []) {
      expect([keyword, all.split(language.stems(keyword).join(" ")).length > 2]).toEqual([keyword, true]);
    }
  });

  it("gets titles that pass their check and announce only what is there", async () => {
    const made = await write("title_suggestions", { ...text, brand: "Crumb Bakery" });
    expect(made?.items?.length).toBeGreaterThan(0);
    for (const { text: title } of made?.items ?? []) {
      expect([title, checkOf("m1", { titlePx: await measureTitle(title) })]).toEqual([title, "good"]);
      expect(title).not.toMatch(/questions and answers|explained/);
    }
  });

  it("gets no worse by being rewritten", async () => {
    const orders: readonly (readonly RewriteOp[])[] = [...REWRITE_OPS.map((op) => [op]), REWRITE_OPS];
    for (const ops of orders) {
      const made = await write("rewrite", { ...text, ops });
      if (made === null) continue;
      const { score_before: before, score_after: after } = await compareRewrite("test", {
        before: text.text,
        after: made.text,
        format: "markdown",
        locale: text.locale,
        question: text.question,
        now: 0,
      });
      // Such a text ends as `failed`, which test/engines/answeros/http/rewrites.test.ts shows.
      const isRefused = text.title === "Refunds and returns" && ops.includes("drop_filler");
      expect([ops, after >= before]).toEqual([ops, !isRefused]);
    }
  });
});

it("writes no draft, as fixed rules only repeat the notes", async () =>
  expect(await write("draft", { text: "Rye. Butter." })).toBeNull());
