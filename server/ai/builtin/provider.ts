import type { AiOperation } from "../../core/ai.ts";
import { readText } from "../../lib/text/read.ts";
import type { Provider, Task, Written } from "../provider.ts";
import { answer } from "./answer.ts";
import { draft } from "./draft.ts";
import { faq, keywords, metaDescription, outline, summarise } from "./extract.ts";
import { reply } from "./reply.ts";
import { rewrite } from "./rewrite.ts";
import { titleSuggestions } from "./titles.ts";
import type { Make } from "./made.ts";

/** Version of the algorithms: the same input gives the same output as long as it stays. */
const MODEL = "builtin-1";

/** The provider that is always there: fixed rules, no network, no cost; it says nothing that its input does not. */
export function createBuiltin(): Provider {
  const write = async ({ operation, input }: Task): Promise<Written> => {
    const model = await readText({
      body: input.text,
      format: input.format ?? "markdown",
      locale: input.locale ?? "en",
    });
    return { ...(await OPERATIONS[operation](input, model)), tokens: null, sources: [] };
  };
  return {
    id: "builtin",
    isLocal: true,
    models: [MODEL],
    promptOf: ({ input }) => input.text,
    write,
    async *stream(task) {
      const written = await write(task);
      for (const part of written.text.split(/(?<=\n\n)/)) yield part;
      return written;
    },
  };
}

const OPERATIONS: Readonly<Record<AiOperation, Make>> = {
  summarise,
  meta_description: metaDescription,
  title_suggestions: titleSuggestions,
  outline,
  faq,
  keywords,
  rewrite,
  draft,
  answer,
  reply,
};
