import type { AiInput, AiOperation } from "../core/ai.ts";
import { readText } from "../lib/text/read.ts";
import { defineWorkerTask } from "../lib/worker-tasks.ts";
import { answer } from "./builtin/answer.ts";
import { faq, keywords, metaDescription, outline, summarise } from "./builtin/extract.ts";
import { needsModel } from "./builtin/made.ts";
import type { Make, Made } from "./builtin/made.ts";
import { reply } from "./builtin/reply.ts";
import { rewrite } from "./builtin/rewrite.ts";
import { titleSuggestions } from "./builtin/titles.ts";
import { findClaims, findLocked } from "./guard.ts";

interface Work {
  readonly operation: AiOperation;
  readonly input: AiInput;
}

const sizeOf = ({ text, passages = [], facts = [] }: AiInput): number =>
  [...passages.map((passage) => passage.text), ...facts].reduce(
    (sum, { length }) => sum + length,
    text.length,
  );

const OPERATIONS: Readonly<Record<AiOperation, Make>> = {
  summarise,
  meta_description: metaDescription,
  title_suggestions: titleSuggestions,
  outline,
  faq,
  keywords,
  rewrite,
  draft: () => {
    throw needsModel("a draft");
  },
  answer,
  reply,
};

/** What the builtin provider writes. */
export const writeBuiltin = defineWorkerTask({
  id: "ai.builtin",
  size: ({ input }: Work) => sizeOf(input),
  run: async ({ operation, input }) => {
    const { text: body, format = "markdown", locale = "en" } = input;
    return OPERATIONS[operation](input, await readText({ body, format, locale }));
  },
});

/** Unsupported claims of a written text. */
export const checkClaims = defineWorkerTask({
  id: "ai.claims",
  size: ({ input, written }: Work & { readonly written: Made }) => sizeOf(input) + written.text.length,
  run: findClaims,
});

/** Sentences that a rewriting must keep. */
export const lockedIn = defineWorkerTask({ id: "ai.locked", size: sizeOf, run: findLocked });
