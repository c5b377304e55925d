import type { Action } from "../rules/agenda.ts";
import { askAttempt, attempt, callRefund, giveUp } from "./attempts.ts";
import type { Call } from "./attempts.ts";
import type { Book, OpenedBook } from "./book.ts";
import { chargeOf } from "./book.ts";
import { openCharges } from "./cycles.ts";
import { settleCancellation } from "./cancel.ts";
import { refreshOverdue } from "./effects.ts";
import { endTrial, expire, resume, sendNotice } from "./lifecycle.ts";

/** Does one thing that is due. A call is made after the commit; null when nothing has to be asked. */
export async function doAction(book: OpenedBook, action: Action): Promise<Call | null> {
  switch (action.kind) {
    case "ask":
      return askAttempt(book, chargeOf(book, action.chargeId));
    case "action_timeout":
      return askAttempt(book, chargeOf(book, action.chargeId), true);
    case "refund":
      return callRefund(book, chargeOf(book, action.chargeId), action.refundId);
    case "resume":
      return resume(book);
    case "cancel":
      await settleCancellation(book, { how: refundAtEnd(book), isOver: true });
      return null;
    case "expire":
      return expire(book, action.reason);
    case "end_trial":
      return endTrial(book);
    case "open_charge":
      return openCharges(book);
    case "attempt":
      return attempt(book, chargeOf(book, action.chargeId));
    case "give_up":
      return giveUp(book, chargeOf(book, action.chargeId));
    case "overdue":
      refreshOverdue(book);
      return null;
    case "notice":
      return sendNotice(book, action.index);
  }
}

/** A full refund was made when the contract was cancelled. */
const refundAtEnd = ({ contract: { cancellation } }: Book): "none" | "prorated" =>
  cancellation?.refund === "prorated" ? "prorated" : "none";
