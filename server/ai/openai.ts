import type { LanguageModel, LanguageModelUsage } from "ai";

import { importFor } from "../core/optional-packages.ts";
import { tokensOf } from "./cost.ts";
import type { Tokens } from "./cost.ts";
import { itemsOf, promptFor } from "./prompts.ts";
import {
  adviceOn,
  checkWritten,
  countWithin,
  isCount,
  TEXT_BYTES_MAX,
  limitBody,
  responseBytesMax,
  tooLong,
} from "./provider-faults.ts";
import { ProviderError } from "./provider.ts";
import type { Provider, Task, Written } from "./provider.ts";

export interface OpenAiOptions {
  readonly id: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly models: readonly string[];
}

/**
 * Any server that speaks the protocol of OpenAI, at the address that the operator configured: it is trusted, so it may be on a
 * private network, but it may not send us elsewhere. Each task is one request: what is repeated is paid for twice.
 */
export function createOpenAi({ id, url, key, models }: OpenAiOptions): Provider {
  const modelFor = async (task: Task): Promise<LanguageModel> => {
    const { createOpenAICompatible } = await importFor("texts", () => import("@ai-sdk/openai-compatible"));
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: url.replace(/\/+$/, ""),
      ...(key === undefined ? {} : { apiKey: key }),
      includeUsage: true,
      fetch: async (input, init) =>
        limitBody(await fetch(input, { ...init, redirect: "error" }), responseBytesMax(task)),
    });
    return provider.chatModel(task.model);
  };
  const settingsFor = async (task: Task) => ({
    model: await modelFor(task),
    ...promptFor(task),
    maxOutputTokens: task.outputTokensMax,
    abortSignal: task.signal,
    maxRetries: 0,
  });
  return {
    id,
    isLocal: false,
    models,
    promptOf(task) {
      const { system, prompt } = promptFor(task);
      return `${system}\n\n${prompt}`;
    },
    async write(task) {
      const { generateText } = await loadSdk();
      try {
        const { finishReason, text, usage, sources } = await generateText(await settingsFor(task));
        return checkWritten(task, toWritten(task, { text, usage, sources }), finishReason);
      } catch (cause) {
        throw await toError(cause, task);
      }
    },
    async *stream(task) {
      const { streamText } = await loadSdk();
      let text = "";
      try {
        // Without a handler the SDK prints what goes wrong; here it comes as a part of the stream.
        const result = streamText({ ...(await settingsFor(task)), onError: () => undefined });
        let finish: { usage: LanguageModelUsage; reason: string } | null = null;
        for await (const part of result.fullStream) {
          if (part.type === "text-delta") {
            text += part.text;
            if (text.length > TEXT_BYTES_MAX) throw tooLong(text, null);
            yield part.text;
          } else if (part.type === "error") throw part.error;
          else if (part.type === "finish") finish = { usage: part.totalUsage, reason: part.finishReason };
          else if (part.type === "abort") throw task.signal.reason;
          else if (
            part.type === "finish-step" &&
            part.finishReason === "other" &&
            part.rawFinishReason === undefined
          ) {
            throw new ProviderError("The provider's response was truncated.", { isCharged: true });
          }
        }
        if (finish === null)
          throw new ProviderError("The provider's response was truncated.", { isCharged: true });
        const written = toWritten(task, { text, usage: finish.usage, sources: await result.sources });
        return checkWritten(task, written, finish.reason);
      } catch (cause) {
        throw await toError(cause, task);
      }
    },
  };
}

async function loadSdk() {
  const sdk = await importFor("texts", () => import("ai"));
  // It would print to the console what our log and the caller receive anyway.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return sdk;
}

function toWritten(
  { operation }: Task,
  answer: { text: string; usage: LanguageModelUsage; sources: readonly object[] },
): Written {
  const text = answer.text.trim();
  // "" is how the prompt asks for saying nothing.
  const plain = text === '""' ? "" : text;
  const items = itemsOf(operation, plain);
  return {
    text: plain,
    ...(items === undefined ? {} : { items }),
    tokens: toTokens(answer.usage),
    sources: answer.sources.flatMap((source) =>
      "url" in source && typeof source.url === "string"
        ? [
            {
              url: source.url,
              title: "title" in source && typeof source.title === "string" ? source.title : null,
            },
          ]
        : [],
    ),
  };
}

/** What the provider counted; null where it reported nothing, which is undefined in the SDK, or no counts. */
function toTokens(usage: LanguageModelUsage): Tokens | null {
  const { inputTokens: input, outputTokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return null;
  return {
    ...tokensOf(input, output, false),
    cache_read_tokens: countWithin(usage.inputTokenDetails.cacheReadTokens, input),
    cache_write_tokens: countWithin(usage.inputTokenDetails.cacheWriteTokens, input),
    reasoning_tokens: countWithin(usage.outputTokenDetails.reasoningTokens, output),
  };
}

async function toError(cause: unknown, { signal }: Task): Promise<unknown> {
  if (signal.aborted) return signal.reason;
  const own = providerErrorIn(cause);
  if (own !== null) return own;
  const { APICallError } = await loadSdk();
  if (!APICallError.isInstance(cause) || cause.statusCode === undefined || cause.statusCode < 400) {
    return new ProviderError(reasonOf(cause), { isCharged: !isUnsent(cause), cause });
  }
  const wait = Number(cause.responseHeaders?.["retry-after"]);
  const detail = adviceOn(cause.statusCode);
  return new ProviderError(`The provider returned status ${cause.statusCode}.`, {
    isCharged: false,
    retryAfter: Number.isFinite(wait) ? Math.min(RETRY_MAX_SECONDS, Math.max(0, Math.ceil(wait))) : null,
    ...(detail === undefined ? {} : { detail }),
    cause,
  });
}

const RETRY_MAX_SECONDS = 3_600;

/** Our own error within those that the SDK puts around it. */
function providerErrorIn(error: unknown): ProviderError | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderError) return cause;
  }
  return null;
}

/** Codes of connections that were never established: the request was not read, so it is not charged for. */
const NO_CONNECTION = new Set(
  "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT".split(" "),
);

function isUnsent(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string" && NO_CONNECTION.has(cause.code)) return true;
    if (cause.message === "unexpected redirect") return true;
  }
  return false;
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
