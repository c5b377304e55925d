import type { AiConfig } from "../config/ai.ts";
import type { AiProvider, AiRequest, AiResult } from "../core/ai.ts";
import { AiUsage } from "../core/ai-ledger.ts";
import type { Budgets, ReservedBudget, StoreOwner } from "../core/budgets.ts";
import type { Clock } from "../core/clock.ts";
import type { Claim } from "../lib/text/facts.ts";
import { isTooComplex } from "../lib/worker-tasks.ts";
import { conflict, fail } from "../lib/errors.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { RunTx } from "../core/tx.ts";
import { countTokens, priceUsage, tokensOf } from "./cost.ts";
import type { Tokens } from "./cost.ts";
import type { Ledger } from "./ledger.ts";
import { ProviderError } from "./provider.ts";
import type { Provider, Task, Written } from "./provider.ts";
import type { Call, Outcome } from "./usage-book.ts";

export interface AiDeps {
  readonly config: AiConfig;
  readonly runTx: RunTx;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
  readonly budgets: Pick<Budgets, "reserve" | "settle">;
  /** Whose budget the tokens of a store's calls come from. */
  readonly findOwner: (part: string) => Promise<StoreOwner | null>;
  /** Providers of the operator. */
  readonly custom?: readonly AiProvider[] | undefined;
}

/** A call that was let through: who writes, and what was promised for it. */
export interface Running {
  readonly request: AiRequest;
  readonly call: Call;
  readonly task: Task;
  readonly provider: Provider;
  readonly isFallback: boolean;
  readonly spendIds: readonly string[];
  /** What was taken for it of the tokens of a plan; null for the builtin provider. */
  readonly planTokens: ReservedBudget | null;
  readonly startedAt: number;
}

/** The life of a call: promised, then finished, broken or left. Each end writes its usage record. */
export interface Calls {
  /**
   * Reserves; gives the builtin provider's call where a budget of the store says so. Throws 409 where one says `block`, 429 where
   * the customer's plan has too few tokens left.
   */
  begin(request: AiRequest, chosen: { provider: Provider; model: string }): Promise<Running>;
  finish(running: Running, written: Written): Promise<AiResult>;
  /** Settles a call that failed with what it may have cost; returns the error to report. */
  broken(running: Running, cause: unknown, written: string): Promise<unknown>;
  /** Settles a call whose listener went away. */
  left(running: Running, written: string): Promise<void>;
}

/** A reservation outlives the longest call by this much before it counts as left behind. */
const GRACE_MS = 60_000;

export function createCalls(deps: AiDeps, ledger: Ledger, builtin: Provider): Calls {
  const { config, clock, log } = deps;

  /** `charged`: what the plan pays, if not what was counted. */
  const settle = async (
    running: Running,
    status: Outcome["status"],
    tokens: Tokens,
    charged = tokens.total_tokens,
  ) => {
    const { call, provider, planTokens, spendIds, startedAt, task } = running;
    const isFree = provider.isLocal || status === "blocked";
    const usage = isFree
      ? { ...tokens, cost_micros: 0, currency: config.currency }
      : priceUsage(tokens, task.model, config);
    if (planTokens !== null) await deps.budgets.settle(planTokens, isFree ? 0 : charged);
    return ledger.settle(call, { status, latency_ms: Math.max(0, clock.now() - startedAt), usage }, spendIds);
  };

  return {
    async begin(request, { provider, model }) {
      const call = callOf(request, provider.id, model, deps.newId("aiu"));
      const task = await taskOf(request, model, config);
      const local: Running = {
        request,
        call,
        task,
        provider,
        isFallback: false,
        spendIds: [],
        planTokens: null,
        startedAt: clock.now(),
      };
      // Nothing leaves this machine and nothing is paid: no budget is about that.
      if (provider.isLocal) return local;
      const prompt = provider.promptOf(task);
      const tokens = tokensOf(await countTokens(prompt), config.outputTokensMax, true);
      // The operator pays the provider, and the budgets below are the shop's own to raise.
      const payer = await deps.findOwner(request.part);
      if (payer?.isActive !== true) throw fail("forbidden", "The customer of the store is not active.");
      const promised = Math.max(tokens.input_tokens, leastTokens(prompt)) + config.outputTokensMax;
      const planTokens = await deps.budgets.reserve(payer, "ai", promised);
      const running = { ...local, planTokens };
      const micros = priceUsage(tokens, model, config).cost_micros ?? 0;
      const ttl = config.timeoutSeconds * 1000 + GRACE_MS;
      const estimate = { micros, tokens: tokens.total_tokens };
      const verdict = await ledger.reserve(call, estimate, ttl).catch(async (error: unknown) => {
        await deps.budgets.settle(planTokens, 0);
        throw error;
      });
      if (verdict.accepted) return { ...running, spendIds: verdict.spendIds };
      if (verdict.instead === "fallback_builtin") return toBuiltin(running, builtin);
      await settle(running, "blocked", tokensOf(0, 0, false));
      const { id, name, period } = verdict.budget;
      throw conflict(
        "budget_exceeded",
        `The budget "${name}" (${id}) for this ${period} is exhausted. Raise it, or wait until the next ${period}.`,
      );
    },

    async finish(running, written) {
      const { request, call, task, provider, isFallback } = running;
      const tokens = written.tokens ?? (await countHere(running, written.text));
      const record = await settle(running, isFallback ? "fallback" : "ok", tokens);
      if (config.logPrompts && !provider.isLocal) {
        log.info({ usage_id: call.id, prompt: provider.promptOf(task), answer: written.text }, "AI call");
      }
      return {
        text: written.text,
        ...(written.items === undefined ? {} : { items: written.items }),
        provider: record.provider,
        model: record.model,
        usage: AiUsage.strip().parse(record),
        usage_id: record.id,
        fallback: isFallback,
        unsupported_claims: await claimsOf(request, written),
        sources: written.sources,
      };
    },

    async broken(running, cause, written) {
      const { request, task, provider, call } = running;
      const isCancelled = request.signal?.aborted === true;
      const isCharged = !(cause instanceof ProviderError) || cause.isCharged;
      const tokens = isCharged ? await chargedFor(running, cause, written) : tokensOf(0, 0, false);
      const charged = isCharged && task.signal.aborted ? promisedFor(running) : undefined;
      await settle(running, isCancelled ? "cancelled" : "error", tokens, charged);
      // Fixed rules do not fail: what went wrong there is a bug, and is reported as one.
      if (provider.isLocal) return cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      log.warn({ usage_id: call.id, provider: call.provider, model: call.model, reason }, "AI call failed");
      return toProblem(cause, task.signal.aborted && !isCancelled);
    },

    async left(running, written) {
      await settle(running, "cancelled", await countHere(running, written), promisedFor(running));
    },
  };
}

/** Claims beyond it add nothing to what a reader learns, and a document has its limits. */
const CLAIMS_MAX = 100;
const CLAIM_CHARS_MAX = 300;

async function claimsOf({ part, operation, input }: AiRequest, { items, text }: Written): Promise<Claim[]> {
  const written = { text, ...(items === undefined ? {} : { items }) };
  try {
    const { checkClaims } = await import("./tasks.ts");
    const claims = await checkClaims(part, { operation, input, written });
    return claims
      .slice(0, CLAIMS_MAX)
      .map((claim) => ({ ...claim, text: claim.text.slice(0, CLAIM_CHARS_MAX) }));
  } catch (error) {
    // The input was read before the call: it is the provider's text that cannot be.
    if (!isTooComplex(error)) throw error;
    throw unavailable("The AI provider returned a text that cannot be checked.", { cause: error });
  }
}

/** What a failed call is charged for: as reported, else what was written until then. */
const chargedFor = async (running: Running, cause: unknown, written: string): Promise<Tokens> => {
  const failure = cause instanceof ProviderError ? cause : null;
  return failure?.tokens ?? countHere(running, written || (failure?.text ?? ""));
};

/**
 * What a plan promises for a prompt at least. Of what shops write a token has 2.3 to 6 bytes, and the estimate is good. Of rare characters it
 * has one, which the estimate takes for a twentieth of a token, and a run of blanks for none.
 */
const leastTokens = (prompt: string): number => Math.ceil(Buffer.byteLength(prompt) / 2);

/**
 * What a plan pays for a call that was not waited for: the provider may think unseen, and go on writing at the operator's expense. Else who
 * leaves early could have many times the tokens of a plan written.
 */
const promisedFor = ({ planTokens }: Running): number | undefined => planTokens?.amount;

/** Tokens as we count them, where the provider reported none. */
const countHere = async ({ provider, task }: Running, written: string): Promise<Tokens> =>
  tokensOf(await countTokens(provider.promptOf(task)), await countTokens(written), true);

function toBuiltin(running: Running, provider: Provider): Running {
  const model = provider.models[0] ?? provider.id;
  const { call, task } = running;
  return {
    ...running,
    isFallback: true,
    provider,
    call: { ...call, provider: provider.id, model },
    task: { ...task, model },
  };
}

/** Where the provider gave no time: every 503 says when to come again. */
const RETRY_AFTER_SECONDS = 5;

function toProblem(cause: unknown, isLate: boolean): unknown {
  const { detail, retryAfter } = cause instanceof ProviderError ? cause : { detail: null, retryAfter: null };
  if (isLate) return unavailable("The request to the AI provider timed out.", { cause });
  return detail === null
    ? unavailable("The AI provider failed.", { cause, retryAfter })
    : unavailable(detail, { cause, retryAfter, advice: "" });
}

function unavailable(
  reason: string,
  { cause, retryAfter, advice }: { cause: unknown; retryAfter?: number | null; advice?: string },
): Error {
  const next = advice ?? ' Retry the request, or use the provider "builtin".';
  return fail("service_unavailable", `${reason}${next}`, {
    code: "ai_unavailable",
    cause,
    headers: { "Retry-After": String(retryAfter ?? RETRY_AFTER_SECONDS) },
  });
}

async function taskOf(request: AiRequest, model: string, config: AiConfig): Promise<Task> {
  const { operation, input, instructions, part, signal } = request;
  // Read for every operation: a text that cannot be checked afterwards is refused before it is paid for.
  const { lockedIn } = await import("./tasks.ts");
  const locked = await lockedIn(part, input);
  const timeout = AbortSignal.timeout(config.timeoutSeconds * 1000);
  return {
    operation,
    // A provider is given what it must not touch: it does not know which words are allergens to us.
    input: operation === "rewrite" ? { ...input, locked } : input,
    instructions,
    part,
    model,
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    outputTokensMax: config.outputTokensMax,
  };
}

const callOf = (request: AiRequest, provider: string, model: string, id: string): Call => ({
  id,
  part: request.part,
  engine: request.engine,
  operation: request.operation,
  provider,
  model,
  key_id: request.key_id,
  resource: request.resource,
  request_id: request.request_id,
});
