import type { AiConfig, Price } from "../config/ai.ts";
import type { AiUsage } from "../core/ai-ledger.ts";

/** Tokens of a call before they are priced. */
export type Tokens = Omit<AiUsage, "cost_micros" | "currency">;

/** Tokens with what they cost by the operator's table; null where the model is not in it. */
export function priceUsage(
  tokens: Tokens,
  model: string,
  config: Pick<AiConfig, "prices" | "currency">,
): AiUsage {
  const price = config.prices.find((row) => row.model === model);
  return {
    ...tokens,
    cost_micros: price === undefined ? null : costMicros(tokens, price),
    currency: config.currency,
  };
}

/** Micro-units, rounded up once: what is read from a cache has its own price, all other input the usual one. */
export function costMicros(
  tokens: Pick<Tokens, "input_tokens" | "cache_read_tokens" | "output_tokens">,
  price: Pick<Price, "input" | "output" | "cacheRead">,
): number {
  const cached = Math.min(tokens.cache_read_tokens, tokens.input_tokens);
  const total =
    BigInt(tokens.input_tokens - cached) * BigInt(price.input) +
    BigInt(cached) * BigInt(price.cacheRead ?? price.input) +
    BigInt(tokens.output_tokens) * BigInt(price.output);
  return Number((total + 999_999n) / 1_000_000n);
}

export const tokensOf = (input: number, output: number, estimated: boolean): Tokens => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: input + output,
  estimated,
});

/** About as many tokens as a model would count in a text; good to a few per cent for what shops write. */
export async function countTokens(text: string): Promise<number> {
  const { estimateTokenCount } = await import("tokenx");
  return estimateTokenCount(text);
}
