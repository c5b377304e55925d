import { conflict } from "../../../lib/errors.ts";
import type { Stored } from "../../../core/tx.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { marks, submissionSecrets } from "../repository.ts";
import type { FormContent } from "../schema.ts";
import type { SubmissionSecret } from "../schema/submission.ts";
import type { FormsWork } from "./work.ts";
import { isMarked, markId, setMark } from "./work.ts";

// If a form accepts one submission per person, each sender has one turn. Only an accepted submission uses it: a
// message wrongly held
// as spam must not keep its sender from trying again.

/** The id of the marker of a sender's turn; null if the form accepts several, or the sender is unknown. */
export function turnOf(
  { ports }: Pick<FormsWork, "ports">,
  formId: string,
  { settings: { one_per: once } }: FormContent,
  who: { readonly email: string | null; readonly visitor: string | null },
): string | null {
  const key = once === "email" ? who.email : once === "visitor" ? who.visitor : null;
  return key === null ? null : markId("once", [formId, ports.sign("forms once", key)]);
}

/** Throws 409 `duplicate` if the turn was already used. */
export async function assertTurn(work: FormsWork, turn: string | null): Promise<void> {
  if (turn === null || !(await isMarked(work, turn))) return;
  throw conflict("duplicate", "You have already sent this form. It can be sent only once.");
}

/** Uses a turn, unless it is already used; returns the new markers. */
export async function takeTurn(
  work: Pick<FormsWork, "now" | "tx">,
  turn: string | null,
  { settings }: FormContent,
): Promise<string[]> {
  const until = settings.one_per === "visitor" ? work.now + FORMS_TIMES.visitorMs : null;
  const isMade = turn !== null && settings.one_per !== "none" && (await setMark(work, turn, until));
  return isMade ? [turn] : [];
}

/** Releases the turn of a submission. */
export async function giveTurnBack(
  { tx }: Pick<FormsWork, "tx">,
  secret: Stored<SubmissionSecret>,
): Promise<void> {
  const { mark_ids: ids } = secret.value;
  if (ids.length === 0) return;
  for (const id of ids) {
    const mark = await tx.get(marks, id);
    if (mark !== null) tx.remove(marks, mark);
  }
  tx.put(submissionSecrets, secret, { ...secret.value, mark_ids: [] });
}
