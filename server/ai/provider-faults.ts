import type { Tokens } from "./cost.ts";
import { ProviderError } from "./provider.ts";
import type { Task, Written } from "./provider.ts";

// A provider is not trusted: whatever it sends becomes a text within these limits, or a failure with a sentence.

/** Bytes of a text as JSON: a generation stores it up to twice, with its claims, in one document. */
export const TEXT_BYTES_MAX = 80_000;
const ITEMS_MAX = 100;
const SOURCES_MAX = 50;
/** Counts beyond it are no counts of tokens. */
const TOKENS_MAX = 1_000_000_000;

/** Bytes of a response: each token of a stream comes in an event of its own. */
export const responseBytesMax = ({ outputTokensMax }: Pick<Task, "outputTokensMax">): number =>
  1_000_000 + 1_000 * outputTokensMax;

const isTooLong = (text: string): boolean =>
  text.length > TEXT_BYTES_MAX || Buffer.byteLength(JSON.stringify(text)) > TEXT_BYTES_MAX;

/** The text within its limits; throws where it is none, or not the whole. `reason` is why the provider stopped. */
export function checkWritten(task: Task, written: Written, reason: string): Written {
  const { text, tokens } = written;
  const failed = (message: string, advice: string) =>
    new ProviderError(message, { isCharged: true, detail: `${message} ${advice}`, tokens, text });
  if (isTooLong(text)) throw tooLong(text, tokens);
  if (reason === "content-filter")
    throw failed("The AI provider refused to write this text.", `Change the text, or use ${BUILTIN}.`);
  if (reason === "length") {
    throw failed(
      `The response of the AI provider was cut off after ${task.outputTokensMax} tokens.`,
      `Shorten the text, or use ${BUILTIN}. The operator can raise ai.outputTokensMax.`,
    );
  }
  // Saying nothing is an answer to a question that the passages do not answer.
  if (text === "" && task.operation !== "answer")
    throw failed("The AI provider returned an empty text.", `Retry the request, or use ${BUILTIN}.`);
  const { items, sources } = written;
  return {
    ...written,
    ...(items === undefined ? {} : { items: items.slice(0, ITEMS_MAX) }),
    sources: sources.slice(0, SOURCES_MAX),
  };
}

export const tooLong = (text: string, tokens: Tokens | null): ProviderError =>
  new ProviderError("The response of the AI provider is too long.", {
    isCharged: true,
    detail: `The response of the AI provider is too long. Shorten the text, or use ${BUILTIN}.`,
    tokens,
    text: text.slice(0, TEXT_BYTES_MAX),
  });

const BUILTIN = 'the provider "builtin"';

/** What a status means to the caller; undefined where retrying may help. */
export function adviceOn(status: number): string | undefined {
  const answered = `The AI provider returned status ${status}`;
  if (status === 401 || status === 403)
    return `${answered}: it does not accept the key of this server. The operator must check ai.key; use ${BUILTIN} meanwhile.`;
  if (status === 402)
    return `${answered}: its account has no credit. The operator must add some; use ${BUILTIN} meanwhile.`;
  if (status === 404)
    return `${answered}: it does not know the address or the model. The operator must check ai.url and ai.model; use ${BUILTIN} meanwhile.`;
  if (status === 400 || status === 413 || status === 422)
    return `${answered}: it does not accept the request. Shorten the text, choose another model, or use ${BUILTIN}.`;
  return undefined;
}

/** The count, or 0 where it is none or exceeds what it is part of. */
export const countWithin = (value: number | undefined, max: number): number =>
  isCount(value) ? Math.min(value, max) : 0;

export const isCount = (value: number | undefined): value is number =>
  Number.isSafeInteger(value) && value !== undefined && value >= 0 && value <= TOKENS_MAX;

/** A response whose body fails after so many bytes. */
export function limitBody(response: Response, bytesMax: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) controller.error(tooLong("", null));
      else controller.enqueue(chunk);
    },
  });
  const { headers, status, statusText } = response;
  return new Response(response.body.pipeThrough(limit), { headers, status, statusText });
}
