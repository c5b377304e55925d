import type { GatewayDeps } from "./deps.ts";
import { DAY_MS, toInstant } from "../lib/instant.ts";
import { LIMITS } from "../core/limits.ts";
import { PLATFORM_PART, storePartition } from "../core/partitions.ts";
import { fail, tooManyRequests } from "../lib/errors.ts";
import { createFairSlots } from "../lib/fair-slots.ts";
import type { FairSlots } from "../lib/fair-slots.ts";
import { giveWay, noteOwner } from "../lib/slices.ts";
import type { Reply } from "../core/reply.ts";
import type { Ctx, Input } from "../core/route.ts";
import { isTestPart, readTestClock } from "../core/test-clock.ts";
import type { RunTx, Tx, TxOptions } from "../core/tx.ts";
import type { PlatformCtx } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import { workOfRoute } from "./measured-runs.ts";
import type { MeasuredRuns } from "./measured-runs.ts";
import { createReceivingLimit } from "./receiving.ts";
import { findReplay, fingerprintOf, idempotencyId, readIdempotencyKey, stageRecord } from "./idempotency.ts";
import type { Endpoint } from "./namespace.ts";
import type { SlowRoutes } from "./slow-routes.ts";
import { addressOf, visitorName, visitorOf } from "./visitor.ts";

type Execute = (
  exchange: Exchange,
  endpoint: Endpoint,
  input: Input,
  search: string,
) => Promise<Reply<unknown>>;

const HOUR_MS = 3_600_000;

/**
 * Everybody can read a publishable key, and guess the Idempotency-Key of another visitor or of the shop's server: its keys hold
 * for one address alone.
 */
const sharedBy = (deps: GatewayDeps, { principal, req }: Exchange): readonly string[] =>
  principal?.isPublic === true ? [principal.keyId, addressOf(deps, req) ?? ""] : [];

/**
 * Requests of a route that run at once for one customer or, without a key, for the store that pays; the others wait for their turn. So many can
 * compute for long before the first of them is noticed and the next ones are charged, and so many can exceed a budget of which little
 * is left, or have a collection in memory. Quick ones do not notice: a page may send twenty requests at once.
 */
const AT_ONCE = 16;
/**
 * Requests with large files that run at once in a process, and for one who pays: each has its file in memory nearly twice, also while it
 * waits for a thread.
 */
const FILES_AT_ONCE = { max: 8, perKey: 4 };
/** A body of less has no large file. */
const FILE_BYTES = 2_000_000;
/** Memory of the bodies of all requests of a process that wait: more than honest clients send at once. */
const WAITING_BYTES = 128_000_000;

/** Runs the work of a request when fewer requests of its route run for the customer. */
function createTurns(deps: GatewayDeps, slow: SlowRoutes) {
  const places = createFairSlots({ max: Infinity, perKey: AT_ONCE });
  const files = createFairSlots(FILES_AT_ONCE);
  const hold = createReceivingLimit(WAITING_BYTES);

  /** Waits for a place. A request whose client is gone needs none; where the bodies that wait are too many, the largest is refused. */
  async function waitFor(
    slots: FairSlots,
    key: string,
    payer: string,
    { req, bodyMemory = 0 }: Exchange,
  ): Promise<void> {
    const end = new AbortController();
    const held = hold(payer, () => end.abort());
    const client = req.signal();
    const leave = (): void => end.abort();
    client.addEventListener("abort", leave, { once: true });
    if (client.aborted) leave();
    held.add(bodyMemory);
    const isTaken = await slots.take(key, end.signal);
    held.end();
    client.removeEventListener("abort", leave);
    if (isTaken) return;
    throw fail(
      "service_unavailable",
      "Too many requests with large bodies are waiting to be processed. Retry in 5 seconds.",
      { headers: { "Retry-After": "5" } },
    );
  }

  const enter = (slots: FairSlots, key: string, payer: string, exchange: Exchange): Promise<unknown> =>
    slots.isFull(key) ? waitFor(slots, key, payer, exchange) : slots.take(key);

  async function inFilePlace<R>(exchange: Exchange, payer: string, work: () => Promise<R>): Promise<R> {
    await enter(files, payer, payer, exchange);
    try {
      return await work();
    } finally {
      files.release(payer);
    }
  }

  return async function inTurn<R>(
    exchange: Exchange,
    { route }: Endpoint,
    input: Input,
    work: () => Promise<R>,
  ): Promise<R> {
    const { bodyMemory = 0, now, principal } = exchange;
    const payer = principal?.customerId ?? route.paidBy?.(input, deps) ?? null;
    if (payer === null) return work();
    const key = `${payer} ${workOfRoute(route, input, principal)}`;
    await enter(places, key, payer, exchange);
    try {
      const hasFile = route.form === "multipart" && bodyMemory > FILE_BYTES;
      return await (hasFile ? inFilePlace(exchange, payer, work) : work());
    } finally {
      await exchange.counting;
      // Before the next one starts, which is measured where this one was slow.
      if (principal !== null)
        slow.noteTime({ customerId: principal.customerId, routeId: route.id }, deps.clock.now() - now, now);
      places.release(key);
    }
  };
}

/** Runs a handler inside its transaction, under its Idempotency-Key where one is sent. */
export function createExecutor(deps: GatewayDeps, measured: MeasuredRuns, slow: SlowRoutes): Execute {
  const inTurn = createTurns(deps, slow);
  /** Keys whose first request is still running here: a second one is refused at once instead of waiting. */
  const running = new Set<string>();

  return async function execute(exchange, endpoint, input, search) {
    const part = partitionOf(exchange, endpoint);
    if (exchange.principal !== null && part !== PLATFORM_PART) noteOwner(part, exchange.principal.customerId);
    const header = exchange.req.header("idempotency-key");
    if (header === undefined || exchange.principal === null || !isKept(endpoint, exchange.principal)) {
      const work = (tx: Tx): Promise<Reply<unknown>> => run(endpoint, input, exchange, tx);
      return inTurn(exchange, endpoint, input, () =>
        deps.runTx(part, work, txOptions(deps, endpoint, exchange)),
      );
    }
    const id = idempotencyId([
      exchange.principal.customerId,
      exchange.principal.store.id,
      exchange.principal.mode,
      endpoint.route.method,
      exchange.req.target.split("?", 1)[0] ?? "",
      readIdempotencyKey(header),
      ...sharedBy(deps, exchange),
    ]);
    if (running.has(id)) {
      throw fail("conflict", "A request with the same Idempotency-Key is still being processed.", {
        code: "request_in_progress",
        headers: { "Retry-After": "1" },
      });
    }
    running.add(id);
    try {
      return await underKey({
        exchange,
        endpoint,
        input,
        part,
        id,
        // As much as to parse it, and charged like that.
        fingerprint: await measured.read(endpoint.route, exchange, (note) =>
          fingerprintOf(search, input.body, part, note),
        ),
      });
    } finally {
      running.delete(id);
    }
  };

  async function underKey(job: {
    exchange: Exchange;
    endpoint: Endpoint;
    input: Input;
    part: string;
    id: string;
    fingerprint: string;
  }): Promise<Reply<unknown>> {
    const { exchange, endpoint, input, part, id, fingerprint } = job;
    let [isReplay, isTaken] = [false, part !== PLATFORM_PART];
    const work = async (tx: Tx): Promise<Reply<unknown>> => {
      const replay = await findReplay(tx, id, fingerprint, exchange.now);
      isReplay = replay !== null;
      if (replay !== null) return replay;
      if (!isTaken) await takeAccountReply(exchange.principal?.customerId ?? "", exchange.now);
      isTaken = true;
      const reply = await run(endpoint, input, exchange, tx);
      const expiresAtMs = exchange.now + deps.config.idempotencyTtlHours * HOUR_MS;
      await stageRecord(tx, { id, fingerprint, reply, sensitive: endpoint.route.sensitive, expiresAtMs });
      return reply;
    };
    const reply = await inTurn(exchange, endpoint, input, () =>
      deps.runTx(part, work, txOptions(deps, endpoint, exchange)),
    );
    if (isReplay) exchange.headers.push("Idempotency-Replayed", "true");
    return reply;
  }

  /** Throws 429 where a customer has had too many replies stored outside its stores. */
  async function takeAccountReply(customerId: string, now: number): Promise<void> {
    const max = LIMITS.accountRepliesPerDay;
    const { allowed, resetAtMs } = await deps.store.take(`account-replies.${customerId}`, max, DAY_MS);
    if (allowed) return;
    const detail = `At most ${max} requests with an Idempotency-Key to the account routes per day.`;
    throw tooManyRequests(detail, resetAtMs - now);
  }

  function run({ route }: Endpoint, input: Input, exchange: Exchange, tx: Tx): Promise<Reply<unknown>> {
    const isMeasured = measured.applies(route, exchange);
    if (!isMeasured && (!isTestPart(tx.part) || route.isRealTime))
      return route.handle(input, toCtx(deps, exchange, tx, exchange.now));
    return runWithCare({ route, input, exchange, tx, isMeasured });
  }

  /** By the clock of test data, and within the CPU budget of the customer. */
  async function runWithCare({ route, input, exchange, tx, isMeasured }: Run): Promise<Reply<unknown>> {
    const clock = route.isRealTime ? null : await readTestClock(tx);
    const ctx = toCtx(deps, exchange, tx, clock ?? exchange.now);
    return isMeasured ? measured.run(route, input, ctx, exchange) : route.handle(input, ctx);
  }
}

/** Whether a reply is stored: not where a publishable key changes nothing, as everybody may send as many keys as they like. */
const isKept = ({ route }: Endpoint, { isPublic }: { readonly isPublic: boolean }): boolean =>
  route.method !== "GET" && !(isPublic && (route.verb === "read" || route.dryRun));

interface Run {
  readonly route: Endpoint["route"];
  readonly input: Input;
  readonly exchange: Exchange;
  readonly tx: Tx;
  readonly isMeasured: boolean;
}

/** Transactions of one request: those after the first give way to other requests. */
function inTurns({ runTx }: GatewayDeps, exchange: Exchange, visits: TxOptions["visits"]): RunTx {
  let isFirst = true;
  return async (part, work, options) => {
    if (!isFirst) await giveWay(part);
    isFirst = false;
    // Not those of the first, which may hold one while this one waits.
    const readsAs = placesOf(exchange, part);
    return runTx(part, work, { ...options, readsAs, visits: visits ?? options?.visits });
  };
}

/** Whose places a request takes to read much: visitors, who can be many, have others than the shop, and its jobs others than both. */
const placesOf = ({ principal }: Exchange, whose: string): string =>
  `${whose} ${principal?.isPublic === false ? "requests" : "visitors"}`;

/** Who hands something in as a visitor, as everybody may who reads a page of the shop. */
const visitOf = (deps: GatewayDeps, exchange: Exchange): TxOptions["visits"] =>
  exchange.endpoint?.route.open === "submit" && exchange.principal?.isPublic !== false
    ? { visitor: visitorName(deps, exchange) ?? undefined }
    : undefined;

/** A handler that runs again after a lost race finds nothing left to read. */
function streamOnce(exchange: Exchange): AsyncIterable<Uint8Array> {
  if (exchange.isStreamed === true)
    throw fail("service_unavailable", "The request was interrupted by another one. Send it again.");
  exchange.isStreamed = true;
  return untilClosed(exchange.req.stream());
}

/** A client that hangs up is no fault of ours, which would be logged. */
async function* untilClosed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch {
    throw fail("bad_request", "The connection was closed before the request body was complete.");
  }
}

function toCtx(deps: GatewayDeps, exchange: Exchange, tx: Tx, now: number): PlatformCtx<GatewayDeps> {
  const { req, principal, requestId } = exchange;
  const ifMatch = req.header("if-match");
  // No accessor in a literal that every request makes: V8 gives each such object a hidden class of its own, which
  // outlives the request and keeps all that the accessor sees until the next full collection.
  return {
    now,
    nowAt: toInstant(now),
    newId: deps.newId,
    requestId,
    log: deps.log,
    signal: () => req.signal(),
    tx,
    store: principal?.store ?? NO_STORE,
    caller: principal?.keyId ?? null,
    acceptLanguage: req.header("accept-language"),
    baseUrl: deps.config.baseUrl,
    scopes: principal?.scopes ?? NO_SCOPES,
    isPublic: principal?.isPublic ?? false,
    visitor: () => visitorOf(deps, req, exchange.now),
    ports:
      principal === null ? deps.ports : deps.portsOf(tx.part, principal.isPublic ? "visitors" : undefined),
    runTx: inTurns(deps, exchange, visitOf(deps, exchange)),
    current: async (collection, id) => {
      const found = await tx.require(collection, id);
      requireMatch(found.version, ifMatch);
      return found;
    },
    requireVersion: (version) => requireMatch(version, ifMatch),
    deps,
    principal,
    actor: exchange.operator?.actor ?? null,
    method: req.method,
    header: (name) => req.header(name),
    portsOf: deps.portsOf,
    taskOwnerOf: async (part) => ({
      part,
      customerId: (await deps.findOwner(part))?.customerId,
      signal: () => req.signal(),
    }),
    bodyStream: () => streamOnce(exchange),
    rawBody: () =>
      (exchange.rawBody ??= req.body(Math.min(LIMITS.callbackBytes, deps.config.limits.bodyBytes))),
    peer: req.peer,
    rate: exchange.rate,
  };
}

/** A store that is full can be emptied. */
const txOptions = (deps: GatewayDeps, { route }: Endpoint, exchange: Exchange): TxOptions => ({
  frees: route.method === "DELETE",
  visits: visitOf(deps, exchange),
  writes: route.method !== "GET" && route.verb !== "read",
  customerId: exchange.principal?.customerId,
  readsAs: placesOf(exchange, exchange.principal?.customerId ?? PLATFORM_PART),
  signal: () => exchange.req.signal(),
});

const NO_SCOPES: ReadonlySet<string> = new Set();
const NO_STORE: Ctx["store"] = { id: "", identifier: "" };

function partitionOf(exchange: Exchange, endpoint: Endpoint): string {
  const { principal } = exchange;
  if (endpoint.namespace.part === "platform" || principal === null) return "platform";
  return storePartition(principal.store.id, principal.mode);
}

/** Throws 412 where `If-Match` names other versions; in which variant they were served does not matter. */
function requireMatch(current: number, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const version = String(current);
  const named = ifMatch
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', "").replace(/-.*$/s, ""));
  if (named.includes(version)) return;
  throw fail(
    "precondition_failed",
    "The resource has changed since the version given in If-Match. Fetch it again and retry with its current ETag.",
    { headers: { ETag: `"${version}"` } },
  );
}
