import { toInstant } from "../../../lib/instant.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import { callbacks, charges, contracts } from "../repository.ts";
import { applyAnswer } from "../rules/apply-result.ts";
import type { GatewayResult } from "../../../core/payments.ts";
import { attemptNumber, chargeIdOfAttempt } from "../rules/open-charge.ts";
import type { EngineEvent } from "../schema/event.ts";
import { chargeOf, closeWork, openWork } from "./contract-work.ts";
import { followPayment } from "./cancel.ts";
import { applyContextOf } from "./effects.ts";
import { settleTestPayment } from "./gateways/test.ts";
import type { Work } from "../../../core/ports.ts";

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
  work: Work,
  tx: Tx,
  gatewayId: string,
  event: GatewayEvent,
): Promise<Received> {
  if ((await tx.get(callbacks, callbackId(gatewayId, event.eventId))) !== null)
    return { events: [], outcome: "repeated" };
  const chargeId = chargeIdOfAttempt(event.key);
  const charge = await tx.get(charges, chargeId);
  const attempt = charge?.value.attempts.find((one) => one.id === event.key);
  if (charge === null || attempt === undefined || attempt.gateway_id !== gatewayId) {
    return { events: [], outcome: "unknown" };
  }
  await isRepeated(work, tx, gatewayId, event.eventId);
  await settleTestPayment(tx, { gatewayId, newId: work.newId, now: work.now }, event.key, event.result);
  const opened = await openWork(work, tx, await tx.require(contracts, charge.value.contract_id), [chargeId]);
  const answer = applyAnswer(
    chargeOf(opened, chargeId),
    attemptNumber(event.key),
    event.result,
    applyContextOf(opened),
  );
  await followPayment(opened, answer);
  await closeWork(opened);
  return { events: [...opened.emitted], outcome: "applied" };
}

export const callbackId = (gatewayId: string, eventId: string): string =>
  sha256Hex(`${gatewayId}\0${eventId}`);

/** Notes the id of an event; true when it was noted before. */
export async function isRepeated(
  { now }: Pick<Work, "now">,
  tx: Tx,
  gatewayId: string,
  eventId: string,
): Promise<boolean> {
  const id = callbackId(gatewayId, eventId);
  if ((await tx.get(callbacks, id)) !== null) return true;
  tx.create(callbacks, { id, created_at: toInstant(now) });
  return false;
}
