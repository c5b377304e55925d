import { toInstant } from "../../../lib/instant.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { callbacks, charges, contracts } from "../repository.ts";
import { applyAnswer } from "../rules/apply-result.ts";
import type { GatewayResult } from "../schema/gateway-port.ts";
import { attemptNumber, chargeIdOfAttempt } from "../rules/open-charge.ts";
import type { EngineEvent } from "../schema/event.ts";
import type { Env } from "./book.ts";
import { chargeOf, closeBook, openBook } from "./book.ts";
import { applyContextOf, follow } from "./effects.ts";
import { settleTestPayment } from "./gateways/test.ts";

export interface GatewayEvent {
  /** The sender's id of the event: the same event is applied once. */
  readonly eventId: string;
  /** Id of the attempt. */
  readonly key: string;
  readonly result: GatewayResult;
}

export interface Received {
  readonly events: readonly EngineEvent[];
  /** `unknown`: no attempt of this gateway has the key. */
  readonly outcome: "applied" | "repeated" | "unknown";
}

/** Applies a callback in the given transaction: once per event, in whatever order they come. */
export async function receiveResult(
  env: Env,
  tx: Tx,
  gatewayId: string,
  event: GatewayEvent,
): Promise<Received> {
  const id = sha256Hex(`${gatewayId}\0${event.eventId}`);
  if ((await tx.get(callbacks, id)) !== null) return { events: [], outcome: "repeated" };
  const chargeId = chargeIdOfAttempt(event.key);
  const charge = await tx.get(charges, chargeId);
  const attempt = charge?.value.attempts.find((one) => one.id === event.key);
  if (charge === null || attempt === undefined || attempt.gateway_id !== gatewayId) {
    return { events: [], outcome: "unknown" };
  }
  tx.create(callbacks, { id, created_at: toInstant(env.now) });
  await settleTestPayment(tx, { gatewayId, newId: env.newId, now: env.now }, event.key, event.result);
  const book = await openBook(env, tx, await tx.require(contracts, charge.value.contract_id), [chargeId]);
  const answer = applyAnswer(
    chargeOf(book, chargeId),
    attemptNumber(event.key),
    event.result,
    applyContextOf(book),
  );
  follow(book, answer);
  await closeBook(book);
  return { events: [...book.emitted], outcome: "applied" };
}
