import type { Action } from "../rules/agenda.ts";
import { askAttempt, attempt, callRefund, giveUp } from "./attempts.ts";
import type { Call } from "./attempts.ts";
import type { ContractWork, OpenedContract } from "./contract-work.ts";
import { chargeOf } from "./contract-work.ts";
import { openCharges } from "./cycles.ts";
import { settleCancellation } from "./cancel.ts";
import { refreshOverdue } from "./effects.ts";
import { endTrial, expire, resume, sendNotice } from "./lifecycle.ts";

/** Does one thing that is due. A call is made after the commit; null when nothing has to be asked. */
export async function doAction(opened: OpenedContract, action: Action): Promise<Call | null> {
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
