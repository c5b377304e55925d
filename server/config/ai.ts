import { z } from "zod";
import { OWN_PROVIDERS, PROVIDER_ID } from "../core/ai.ts";
import { flag, integer, isBaseUrl, text, textLike } from "./values.ts";

const MICROS_MAX = 1_000_000_000_000;

/** What a model costs, in millionths of `ai.currency` per million tokens. Without a price, tokens are counted and cost is null. */
const Price = z.strictObject({
  model: text().meta({ description: "Name of the model, as requests specify it." }),
  input: integer(0, MICROS_MAX).meta({ description: "Micros per million input tokens." }),
  output: integer(0, MICROS_MAX).meta({ description: "Micros per million output tokens." }),
  cacheRead: integer(0, MICROS_MAX).optional().meta({
    description: "Micros per million cached input tokens. Default: as `input`.",
  }),
});
export type Price = z.output<typeof Price>;

/** A further OpenAI-compatible API, under a name of its own. */
const FurtherProvider = z.strictObject({
  id: textLike("a name such as perplexity", (id) => PROVIDER_ID.test(id) && !OWN_PROVIDERS.includes(id)).meta(
    { description: "Name in requests, and of its answers as an answer engine." },
  ),
  url: textLike("a URL such as https://api.example/v1", isBaseUrl).meta({
    description: "Base URL of an OpenAI-compatible API.",
  }),
  key: text().optional().meta({ secret: true, description: "API key for that API. Default: none." }),
  model: text().meta({ description: "Model to use when a request does not specify one." }),
  models: z
    .array(text(), { error: "expected a list" })
    .default([])
    .meta({ description: "Additional models that requests may specify." }),
});

/** Who writes texts. The builtin provider needs no settings; another one is asked where it is configured. */
export const Ai = z
  .strictObject({
    provider: z.enum(["builtin", "openai-compatible"]).default("builtin").meta({
      env: "PLATFORM_AI_PROVIDER",
      description:
        "`builtin` generates text by fixed rules without a network; `openai-compatible` calls ai.url.",
    }),
    url: textLike("a URL such as https://api.example/v1", isBaseUrl).optional().meta({
      env: "PLATFORM_AI_URL",
      description: "Base URL of an OpenAI-compatible API.",
    }),
    key: text()
      .optional()
      .meta({ env: "PLATFORM_AI_KEY", secret: true, description: "API key for that API. Default: none." }),
    model: text()
      .optional()
      .meta({ env: "PLATFORM_AI_MODEL", description: "Model to use when a request does not specify one." }),
    models: z
      .array(text(), { error: "expected a list" })
      .default([])
      .meta({ env: "PLATFORM_AI_MODELS", description: "Additional models that requests may specify." }),
    providers: z.array(FurtherProvider, { error: "expected a list of providers" }).default([]).meta({
      description:
        "Further OpenAI-compatible providers. Requests select one by its id; prompts of answeros ask it as an engine.",
    }),
    timeoutSeconds: integer(1, 600)
      .default(60)
      .meta({ env: "PLATFORM_AI_TIMEOUT_SECONDS", description: "Timeout of one response." }),
    outputTokensMax: integer(16, 100_000).default(2000).meta({
      env: "PLATFORM_AI_OUTPUT_TOKENS_MAX",
      description: "Maximum response length. This many tokens are reserved from a budget before each call.",
    }),
    currency: textLike("an ISO 4217 code such as USD", (code) => /^[A-Z]{3}$/.test(code))
      .default("USD")
      .meta({ env: "PLATFORM_AI_CURRENCY", description: "Currency of the prices." }),
    prices: z
      .array(Price, { error: "expected a list of prices" })
      .default([])
      .meta({ description: "Prices of the models." }),
    logPrompts: flag().default(false).meta({
      env: "PLATFORM_AI_LOG_PROMPTS",
      description: "Log prompts and responses, which contain texts of stores and their visitors.",
    }),
  })
  .superRefine(({ model, provider, providers, url }, ctx) => {
    const ids = providers.map(({ id }) => id);
    const index = ids.findIndex((id, at) => ids.indexOf(id) !== at);
    if (index >= 0)
      ctx.addIssue({
        code: "custom",
        path: ["providers", index, "id"],
        message: `duplicate id ${ids[index]}`,
      });
    if (provider !== "openai-compatible") return;
    if (url === undefined) {
      const message = '"openai-compatible" needs ai.url (PLATFORM_AI_URL)';
      ctx.addIssue({ code: "custom", path: ["provider"], message });
    }
    if (model === undefined) {
      const message = '"openai-compatible" needs ai.model (PLATFORM_AI_MODEL)';
      ctx.addIssue({ code: "custom", path: ["provider"], message });
    }
  })
  .prefault({});
export type AiConfig = z.output<typeof Ai>;
