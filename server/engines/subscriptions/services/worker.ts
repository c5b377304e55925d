import { fromInstant } from "../../../lib/instant.ts";
import type { Tx } from "../../../core/tx.ts";
import { contracts } from "../repository.ts";
import { agendaOf, firstDue } from "../rules/agenda.ts";
import { applyAnswer, takeBack } from "../rules/apply-result.ts";
import type { ChargeAnswer, LookupAnswer, PaymentGateway } from "../../../core/payments.ts";
import { testOutcome } from "../rules/test-tokens.ts";
import { attemptNumber } from "../rules/open-charge.ts";
import type { EngineEvent } from "../schema/event.ts";
import { timeOut, askAttempt, attempt, callRefund, endLadder, giveUp } from "./attempts.ts";
import type { Call } from "./attempts.ts";
import type { OpenedContract, ContractWork } from "./contract-work.ts";
import { chargeOf, closeWork, openWork } from "./contract-work.ts";
import { applyContextOf, dropLeft, refreshOverdue } from "./effects.ts";
import { openGateway } from "./gateways/open.ts";
import { receiveResult } from "./receive.ts";
import { settleRefund } from "./refunds.ts";
import type { LongWork } from "../../../core/ports.ts";
import type { Action } from "../rules/agenda.ts";
import { collectCarried } from "./change.ts";
import { openCharges } from "./cycles.ts";
import { followPayment, settleCancellation } from "./cancel.ts";
import { endTrial, expire, resume, sendNotice } from "./lifecycle.ts";

/** Things that one look at a contract does at most; the rest waits for the next look. */
const STEPS_MAX = 50;

/**
 * Does everything that is due about a contract, one commit each: what a commit says is to be asked of a gateway is asked
 * after it, and the answer goes into the next. A process that dies in between leaves a claim, which the next worker takes over
 * by asking the gateway, never by charging again. Returns the events that came of it.
 */
export async function workOn(work: LongWork, contractId: string): Promise<EngineEvent[]> {
  const emitted: EngineEvent[] = [];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const done = await work.runTx(work.part, (tx) => doNext(work, tx, contractId));
    if (done === null) break;
    emitted.push(...done.events);
    if (done.call !== null) emitted.push(...(await carryOut(work, contractId, done.call)));
  }
  return emitted;
}

interface Done {
  readonly events: readonly EngineEvent[];
  readonly call: Call | null;
}

async function doNext(work: LongWork, tx: Tx, contractId: string): Promise<Done | null> {
  const stored = await tx.get(contracts, contractId);
  if (stored === null) return null;
  const opened = await openWork(work, tx, stored);
  const action = firstDue(
    agendaOf(opened.contract, [...opened.charges.values()], opened.policy, work.now),
    work.now,
  );
  if (action === null) {
    // Its time is written again when it was listed as due without being so.
    if (stored.value.next_action_at !== null && fromInstant(stored.value.next_action_at) <= work.now) {
      await closeWork(opened);
    }
    return null;
  }
  const call = await doAction(opened, action);
  await closeWork(opened);
  return { events: opened.emitted, call };
}

/** Asks the gateway, and writes down what it said. */
async function carryOut(work: LongWork, contractId: string, call: Call): Promise<EngineEvent[]> {
  const gateway = await openGateway(work, call.gateway);
  if (call.kind === "refund") {
    const answer = await gateway.refund(call.request);
    return change(work, contractId, call.chargeId, (opened) =>
      settleRefund(opened, call.chargeId, call.request.key, answer),
    );
  }
  const { charge_id: chargeId, key, token_ref: token } = call.request;
  let answer: ChargeAnswer | LookupAnswer;
  if (call.kind === "ask") answer = await ask(work, gateway, call);
  else {
    const sent = await gateway.charge(call.request);
    if (sent.status === "unsent") {
      return change(work, contractId, chargeId, (opened) =>
        opened.put(takeBack(chargeOf(opened, chargeId), call, work.now + sent.waitMs)),
      );
    }
    answer = sent;
  }
  const emitted = await change(work, contractId, chargeId, async (opened) => {
    const isOver = call.kind === "ask" && call.closing && !isDecided(answer);
    const charge = chargeOf(opened, chargeId);
    if (isOver && answer.status !== "unknown") timeOut(opened, charge);
    else await followPayment(opened, applyAnswer(charge, call.n, answer, applyContextOf(opened)));
  });
  const repeats = call.gateway.kind === "test" ? testOutcome(token, attemptNumber(key)).callbacks : 0;
  for (let sent = 0; sent < repeats; sent += 1) {
    const event = {
      eventId: `${key}.settled`,
      key,
      result: { status: "succeeded" as const, ref: `test_${key}` },
    };
    emitted.push(
      ...(await work.runTx(work.part, (tx) => receiveResult(work, tx, call.gateway.id, event))).events,
    );
  }
  return emitted;
}

const isDecided = ({ status }: ChargeAnswer | LookupAnswer): boolean =>
  status === "succeeded" || status === "failed";

/** What became of an attempt; one that the gateway never saw is sent again, under the same key. */
async function ask(
  work: LongWork,
  gateway: PaymentGateway,
  call: Extract<Call, { kind: "ask" }>,
): Promise<ChargeAnswer | LookupAnswer> {
  const { request, gatewayRef, closing } = call;
  const found = await gateway.lookup({ ...request, gateway_ref: gatewayRef, closing });
  const isLost = found.status === "not_found" && !closing;
  if (!isLost || work.now >= call.resendUntil) return found;
  const sent = await gateway.charge(request);
  // Another process may have sent it before: it is not taken back, but asked about again.
  return sent.status === "unsent" ? { status: "unknown", detail: sent.detail } : sent;
}

/** One change of a contract and one of its charges. */
function change(
  work: LongWork,
  contractId: string,
  chargeId: string,
  apply: (opened: OpenedContract) => void | Promise<void>,
): Promise<EngineEvent[]> {
  return work.runTx(work.part, async (tx) => {
    const stored = await tx.require(contracts, contractId);
    const opened = await openWork(work, tx, stored, [chargeId]);
    await apply(opened);
    await closeWork(opened);
    return [...opened.emitted];
  });
}

/** Does one thing that is due. A call is made after the commit; null when nothing has to be asked. */
async function doAction(opened: OpenedContract, action: Action): Promise<Call | null> {
  switch (action.kind) {
    case "ask":
      return askAttempt(opened, chargeOf(opened, action.chargeId));
    case "action_timeout":
      return askAttempt(opened, chargeOf(opened, action.chargeId), true);
    case "refund":
      return callRefund(opened, chargeOf(opened, action.chargeId), action.refundId);
    case "resume":
      return resume(opened);
    case "cancel":
      await settleCancellation(opened, { how: refundAtEnd(opened), isOver: true });
      return null;
    case "drop":
      return dropLeft(opened);
    case "collect_carried":
      return collectCarried(opened);
    case "end_ladder":
      return endLadder(opened, chargeOf(opened, action.chargeId));
    case "expire":
      return expire(opened, action.reason);
    case "end_trial":
      return endTrial(opened);
    case "open_charge":
      return openCharges(opened);
    case "attempt":
      return attempt(opened, chargeOf(opened, action.chargeId));
    case "give_up":
      return giveUp(opened, chargeOf(opened, action.chargeId));
    case "overdue":
      refreshOverdue(opened);
      return null;
    case "notice":
      return sendNotice(opened, action.index);
  }
}

/** A full refund was made when the contract was cancelled. */
const refundAtEnd = ({ contract: { cancellation } }: ContractWork): "none" | "prorated" =>
  cancellation?.refund === "prorated" ? "prorated" : "none";
