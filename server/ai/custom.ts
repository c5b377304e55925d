import { z } from "zod";

import { urlUpTo } from "../core/schema.ts";
import type { AiProvider } from "../core/ai.ts";
import { tokensOf } from "./cost.ts";
import { itemsOf, promptFor } from "./prompts.ts";
import { checkWritten, isCount } from "./provider-faults.ts";
import { ProviderError } from "./provider.ts";
import type { Provider, Task, Written } from "./provider.ts";

/** What a provider of the operator may send; anything else is a failure of it. */
const Answer = z.object({
  text: z.string(),
  sources: z
    .array(
      z.object({
        url: urlUpTo(2_000, { protocol: /^https?$/ }),
        title: z.string().max(300).nullable().catch(null),
      }),
    )
    .catch([]),
  tokens: z.object({ input: z.number(), output: z.number() }).nullable().catch(null),
});

/** A provider of the operator (`aiProviders` of the configuration): code that speaks any protocol, and is trusted as little as one over HTTP. */
export function createCustom(custom: AiProvider): Provider {
  const { id, models } = custom;
  async function write(task: Task): Promise<Written> {
    const { model, operation, outputTokensMax, signal } = task;
    const { locale = "en", question } = task.input;
    let sent: unknown;
    try {
      const request = {
        ...promptFor(task),
        model,
        operation,
        locale,
        question: question ?? null,
        outputTokensMax,
        signal,
      };
      sent = await withSignal(custom.write(request), signal);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new ProviderError(`The AI provider "${id}" failed: ${reasonOf(cause)}`, {
        isCharged: true,
        cause,
      });
    }
    const answer = Answer.safeParse(sent);
    if (!answer.success) {
      throw new ProviderError(`The AI provider "${id}" returned no { text, sources, tokens }.`, {
        isCharged: true,
        cause: answer.error,
      });
    }
    const { sources, text, tokens } = answer.data;
    const plain = text.trim();
    const items = itemsOf(operation, plain);
    const isCounted = tokens !== null && isCount(tokens.input) && isCount(tokens.output);
    const written: Written = {
      text: plain,
      ...(items === undefined ? {} : { items }),
      tokens: isCounted ? tokensOf(tokens.input, tokens.output, false) : null,
      sources,
    };
    return checkWritten(task, written, "stop");
  }
  return {
    id,
    isLocal: false,
    models,
    promptOf(task) {
      const { prompt, system } = promptFor(task);
      return `${system}\n\n${prompt}`;
    },
    write,
    async *stream(task) {
      const written = await write(task);
      yield written.text;
      return written;
    },
  };
}

/** Code that ignores the signal must not hold a call beyond its deadline. */
function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
