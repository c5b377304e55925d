import type { AiConfig } from "../config/ai.ts";
import type { Ai, AiEvent, AiRequest, AiResult } from "../core/ai.ts";
import { invalidField, Problem } from "../lib/errors.ts";
import { sha256Hex } from "../core/ids.ts";
import { createBuiltin } from "./builtin/provider.ts";
import { createCalls } from "./calls.ts";
import type { AiDeps, Calls, Running } from "./calls.ts";
import { createCustom } from "./custom.ts";
import { createLedger } from "./ledger.ts";
import { createOpenAi } from "./openai.ts";
import type { Provider, Written } from "./provider.ts";
import type { Clock } from "../core/clock.ts";

/** The AI service behind `ports.ai`: reserve, run, check against the sources, settle. */
export function createAi(deps: AiDeps): Ai {
  const { config, clock } = deps;
  const builtin = createBuiltin();
  const providers = [
    ...(config.provider === "builtin" ? [] : [openAiOf("openai-compatible", config)]),
    // The first is the default: further ones answer only where they are asked by name.
    builtin,
    ...config.providers.map((one) => openAiOf(one.id, one)),
    ...(deps.custom ?? []).map(createCustom),
  ];
  const ids = providers.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new TypeError(`Two AI providers have the id "${twice}".`);
  const calls = createCalls(deps, createLedger({ ...deps, currency: config.currency }), builtin);
  const recent = createRecent<AiResult>(clock);

  async function run(request: AiRequest): Promise<AiResult> {
    const running = await calls.begin(request, choose(providers, request));
    let written: Written;
    try {
      written = await running.provider.write(running.task);
    } catch (cause) {
      throw await calls.broken(running, cause, "");
    }
    return calls.finish(running, written);
  }

  return {
    providers: providers.map(({ id, models, isLocal }) => ({
      id,
      model: models[0] ?? id,
      is_local: isLocal,
    })),
    generate: (request) => recent(keyOf(request), () => run(request)),
    async stream(request) {
      const running = await calls.begin(request, choose(providers, request));
      const parts = running.provider.stream(running.task);
      let first: IteratorResult<string, Written>;
      try {
        first = await parts.next();
      } catch (cause) {
        throw await calls.broken(running, cause, "");
      }
      const open = events(calls, running, { parts, first });
      return running.provider.isLocal ? gathered(open) : open;
    },
  };
}

/** What is computed here is computed before the first event is read: it counts as the request that asks for it, and a stream as none. */
async function gathered(open: AsyncIterable<AiEvent>): Promise<AsyncGenerator<AiEvent, void, undefined>> {
  const all: AiEvent[] = [];
  for await (const event of open) all.push(event);
  return (async function* replay() {
    yield* all;
  })();
}

async function* events(
  calls: Calls,
  running: Running,
  { parts, first }: { parts: AsyncGenerator<string, Written>; first: IteratorResult<string, Written> },
): AsyncGenerator<AiEvent, void, undefined> {
  let written = "";
  let isOver = false;
  try {
    let next = first;
    while (next.done !== true) {
      written += next.value;
      yield { type: "delta", text: next.value };
      next = await parts.next();
    }
    isOver = true;
    yield* ended(calls, running, next.value);
  } catch (cause) {
    if (isOver) throw cause;
    isOver = true;
    yield toErrorEvent(await calls.broken(running, cause, written), running);
  } finally {
    // The listener disconnected in the middle.
    if (!isOver) {
      await calls.left(running, written);
      await parts.return({ text: written, tokens: null, sources: [] });
    }
  }
}

/** The last events of a text that was written. */
async function* ended(
  calls: Calls,
  running: Running,
  written: Written,
): AsyncGenerator<AiEvent, void, undefined> {
  let result: AiResult;
  try {
    result = await calls.finish(running, written);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield toErrorEvent(error, running);
    return;
  }
  yield { type: "usage", usage: result.usage, usage_id: result.usage_id };
  yield { type: "done", result };
}

function toErrorEvent(error: unknown, { call }: Running): AiEvent {
  const known = error instanceof Problem ? error : null;
  return {
    type: "error",
    code: known?.options.code ?? "internal_server_error",
    detail: known?.detail ?? "The text could not be generated.",
    usage_id: call.id,
  };
}

const openAiOf = (
  id: string,
  { key, model = "", models, url = "" }: Pick<AiConfig, "url" | "key" | "model" | "models">,
): Provider => createOpenAi({ id, url, key, models: [...new Set([model, ...models])] });

function choose(providers: readonly Provider[], request: AiRequest): { provider: Provider; model: string } {
  const provider =
    request.provider === undefined ? providers[0] : providers.find(({ id }) => id === request.provider);
  if (provider === undefined) {
    const names = providers.map(({ id }) => `"${id}"`).join(", ");
    throw invalidField(
      ["provider"],
      `Unknown provider "${request.provider}". Available providers: ${names}.`,
      "unknown_provider",
    );
  }
  const model = request.model ?? provider.models[0] ?? provider.id;
  if (!provider.models.includes(model)) {
    const names = provider.models.map((name) => `"${name}"`).join(", ");
    throw invalidField(
      ["model"],
      `Unknown model "${model}" for the provider "${provider.id}". Available models: ${names}.`,
      "unknown_model",
    );
  }
  return { provider, model };
}

/** The same request of the same caller's same request: what a handler that lost a race asks again. */
const keyOf = (request: AiRequest): string => sha256Hex(JSON.stringify({ ...request, signal: undefined }));

const KEPT_MS = 120_000;
const KEPT_MAX = 200;

/** Remembers the latest results by key for two minutes, also while they are being made; failures are not kept. */
function createRecent<R>(clock: Clock): (key: string, make: () => Promise<R>) => Promise<R> {
  const kept = new Map<string, { readonly made: Promise<R>; readonly at: number }>();
  return (key, make) => {
    const now = clock.now();
    for (const [old, { at }] of kept) {
      if (now - at < KEPT_MS && kept.size <= KEPT_MAX) break;
      kept.delete(old);
    }
    const before = kept.get(key);
    if (before !== undefined) return before.made;
    const made = make();
    kept.set(key, { made, at: now });
    made.catch(() => kept.delete(key));
    return made;
  };
}
