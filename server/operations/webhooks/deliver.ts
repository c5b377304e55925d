import { toInstant } from "../../lib/instant.ts";
import type { Clock } from "../../core/clock.ts";
import type { NewId, Random } from "../../core/ids.ts";
import { OutgoingError } from "../../core/ports.ts";
import type { Ports } from "../../core/ports.ts";
import { signedHeaders } from "../../core/standard-webhooks.ts";
import type { RunTx, Tx } from "../../core/tx.ts";
import { wantsEvent } from "../../core/events.ts";
import { deliveries, endpoints } from "./collections.ts";
import type { Delivery, Endpoint } from "./collections.ts";
import { modeOf } from "./fan-out.ts";
import { changeEndpoint, disableEndpoint, isListener, secretsOf } from "./endpoints.ts";
import { DISABLE_AFTER_MS, judge, nextAttempt } from "./ladder.ts";
import type { Attempt } from "./ladder.ts";

/** How long an endpoint may take to answer (Standard Webhooks). */
const TIMEOUT_MS = 15_000;
/** A worker that gives no sign for so long is dead, and another one sends again. */
const LEASE_MS = 60_000;
const HISTORY_MAX = 20;
const ERROR_CHARS_MAX = 300;

export interface DeliverDeps {
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  /** Comes from the budget of the store's customer. */
  readonly portsOf: (part: string) => Pick<Ports, "post">;
}

export type Outcome = "delivered" | "failed" | "skipped";

interface Claim {
  readonly id: string;
  readonly attempts: number;
  readonly url: string;
  readonly event_id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/**
 * Sends one delivery that is due: claimed by a commit, so that of several workers one has it, sent, and what came of it
 * recorded. A worker that dies in between leaves a claim that runs out, and the next one sends again under the same
 * `webhook-id`: at least once, and twice only after a crash.
 */
export async function deliver(deps: DeliverDeps, part: string, id: string): Promise<Outcome> {
  const { runTx, clock } = deps;
  const claim = await runTx(part, (tx) => take(tx, id, clock.now()));
  if (claim === null) return "skipped";
  const startedAt = clock.now();
  const attempt = await send(deps.portsOf(part), claim, startedAt);
  if ("renewsAtMs" in attempt)
    return runTx(part, (tx) => postpone(tx, claim, clock.now(), attempt.renewsAtMs));
  return runTx(part, (tx) => record(deps, tx, claim, { ...attempt, startedAt }));
}

async function take(tx: Tx, id: string, now: number): Promise<Claim | null> {
  const stored = await tx.get(deliveries, id);
  if (stored === null || stored.value.next_at === null || Date.parse(stored.value.next_at) > now) return null;
  const { endpoint_id, event_id, body, attempts, type } = stored.value;
  const endpoint = await tx.get(endpoints, endpoint_id);
  const at = toInstant(now);
  if (endpoint?.value.status !== "enabled" || !isWanted(endpoint.value, type, tx.part)) {
    tx.put(deliveries, stored, { ...stored.value, status: "skipped", next_at: null, updated_at: at });
    return null;
  }
  if (isListener(endpoint.value)) {
    // Pending until its reader reports what became of it.
    tx.put(deliveries, stored, { ...stored.value, status: "pending", next_at: null });
    return null;
  }
  const claimed = { status: "sending", attempts: attempts + 1, next_at: toInstant(now + LEASE_MS) } as const;
  tx.put(deliveries, stored, { ...stored.value, ...claimed, updated_at: at });
  const secrets = await secretsOf(tx, endpoint_id, now);
  return { id, attempts: attempts + 1, url: endpoint.value.url, event_id, body, secrets };
}

/**
 * What the endpoint no longer asks for may not be meant for its present owner: a key that may read only the other types can have changed
 * its address. Of test data, an example of any type can be sent.
 */
const isWanted = ({ types }: Endpoint, type: string, part: string): boolean =>
  modeOf(part) !== "live" || wantsEvent(["webhook.*", ...types], type);

/** The budget of outgoing requests is used up: nothing was sent, until it renews. */
interface OutOfBudget {
  readonly renewsAtMs: number;
}

async function send({ post }: Pick<Ports, "post">, claim: Claim, at: number): Promise<Attempt | OutOfBudget> {
  const { url, body, event_id, secrets } = claim;
  const headers = {
    "content-type": "application/json",
    "user-agent": "storefront-platform-webhooks/1",
    ...signedHeaders({ id: event_id, timestamp: Math.floor(at / 1000), body }, secrets),
  };
  try {
    const { status, retryAfter } = await post({ url, headers, body, timeoutMs: TIMEOUT_MS });
    const wait = retryAfter === undefined ? {} : { retryAfter };
    return { status, error: explain(status), ...wait };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.renewsAtMs !== null) return { renewsAtMs: error.renewsAtMs };
    return { status: null, error: error.message.slice(0, ERROR_CHARS_MAX) };
  }
}

function explain(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver responded with status ${status}. Redirects are not followed; register the final URL.`;
  return status === 410
    ? "The receiver responded with status 410 (Gone)."
    : `The receiver responded with status ${status}.`;
}

/** Has a delivery wait for the budget: what was not sent is no attempt, and says nothing of the endpoint. */
async function postpone(tx: Tx, claim: Claim, now: number, untilMs: number): Promise<Outcome> {
  const stored = await tx.get(deliveries, claim.id);
  if (stored?.value.status !== "sending" || stored.value.attempts !== claim.attempts) return "skipped";
  tx.put(deliveries, stored, {
    ...stored.value,
    status: "pending",
    attempts: claim.attempts - 1,
    next_at: toInstant(untilMs),
    updated_at: toInstant(now),
  });
  return "skipped";
}

async function record(
  deps: DeliverDeps,
  tx: Tx,
  claim: Claim,
  attempt: Attempt & { readonly startedAt: number },
): Promise<Outcome> {
  const stored = await tx.get(deliveries, claim.id);
  // The process that took over after the claim ran out records what becomes of it.
  if (stored?.value.status !== "sending" || stored.value.attempts !== claim.attempts) return "skipped";
  const now = deps.clock.now();
  const verdict = judge(attempt);
  const next =
    verdict === "failed"
      ? nextAttempt(claim.attempts, { now, random: deps.random.next(), retryAfter: attempt.retryAfter })
      : null;
  tx.put(deliveries, stored, {
    ...stored.value,
    status: verdict === "delivered" ? "delivered" : next === null ? "failed" : "pending",
    next_at: next === null ? null : toInstant(next),
    delivered_at: verdict === "delivered" ? toInstant(now) : stored.value.delivered_at,
    history: [...stored.value.history, toRecord(attempt, now)].slice(-HISTORY_MAX),
    updated_at: toInstant(now),
  });
  await noteHealth(deps, tx, { endpointId: stored.value.endpoint_id, verdict, now });
  return verdict === "delivered" ? "delivered" : "failed";
}

function toRecord(
  attempt: Attempt & { readonly startedAt: number },
  now: number,
): Delivery["history"][number] {
  const { status, error, startedAt } = attempt;
  return { at: toInstant(startedAt), status, duration_ms: Math.max(0, now - startedAt), error };
}

/** Notes since when an endpoint has been failing, and disables it when that is too long or it answered 410. */
async function noteHealth(
  deps: DeliverDeps,
  tx: Tx,
  { endpointId, verdict, now }: { endpointId: string; verdict: ReturnType<typeof judge>; now: number },
): Promise<void> {
  const endpoint = await tx.get(endpoints, endpointId);
  if (endpoint === null || endpoint.value.status === "disabled") return;
  const since = endpoint.value.failing_since;
  if (verdict === "gone") await disableEndpoint(tx, { ...deps, now }, endpoint, "gone");
  else if (verdict === "delivered") {
    if (since !== null) await changeEndpoint(tx, now, endpoint, { failing_since: null });
  } else if (since === null) await changeEndpoint(tx, now, endpoint, { failing_since: toInstant(now) });
  else if (now - Date.parse(since) >= DISABLE_AFTER_MS) {
    await disableEndpoint(tx, { ...deps, now }, endpoint, "failing");
  }
}
