import { withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored } from "../../../core/tx.ts";
import {
  erasedRequest,
  erasedSubmission,
  marks,
  quoteRequests,
  submissions,
  submissionSecrets,
} from "../repository.ts";
import type { Submission } from "../schema/submission.ts";
import { dropFiles } from "./attach-files.ts";
import { requestOf } from "./quote-requests.ts";
import type { FormsWork } from "./work.ts";
import { emit } from "./work.ts";

/** Erases a submission: answers, files, unsent mails, and who made its quote request. Only its existence and the time of erasure are retained. */
export async function eraseSubmission(work: FormsWork, stored: Stored<Submission>): Promise<void> {
  const { tx, nowAt } = work;
  if (stored.value.status === "erased") return;
  await forgetRest(work, stored.value);
  tx.put(submissions, stored, erasedSubmission(stored.value, nowAt));
  emit(work, "submission.erased", { submission_id: stored.id, form_id: stored.value.form_id });
}

/** Deletes an expired submission completely. */
export async function dropSubmission(work: FormsWork, stored: Stored<Submission>): Promise<void> {
  await forgetRest(work, stored.value);
  work.tx.remove(submissions, stored);
}

/** What there is of a submission in other documents; of its quote request the process stays, for the books. */
async function forgetRest(work: FormsWork, submission: Submission): Promise<void> {
  const { nowAt, tx } = work;
  await dropFiles(work, submission);
  const request = await requestOf(work, submission);
  if (request !== null)
    tx.put(quoteRequests, request, { ...erasedRequest(request.value), updated_at: nowAt });
  const secret = await tx.get(submissionSecrets, submission.id);
  if (secret === null) return;
  for (const storeMailId of secret.value.letter_ids) await withdrawStoreMail(tx, storeMailId);
  for (const markId of secret.value.mark_ids) {
    const mark = await tx.get(marks, markId);
    if (mark !== null) tx.remove(marks, mark);
  }
  tx.remove(submissionSecrets, secret);
}
