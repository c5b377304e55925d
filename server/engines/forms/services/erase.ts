import { withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored } from "../../../core/tx.ts";
import { erasedSubmission, marks, submissions, submissionSecrets } from "../repository.ts";
import type { Submission } from "../schema/submission.ts";
import { dropFiles } from "./attach-files.ts";
import type { FormsWork } from "./work.ts";
import { emit } from "./work.ts";

/** Erases a submission: answers, files, unsent mails. Only its existence and the time of erasure are retained. */
export async function eraseSubmission(work: FormsWork, stored: Stored<Submission>): Promise<void> {
  const { tx, nowAt } = work;
  if (stored.value.status === "erased") return;
  await dropFiles(work, stored.value);
  await forgetSecret(work, stored.id);
  tx.put(submissions, stored, erasedSubmission(stored.value, nowAt));
  emit(work, "submission.erased", { submission_id: stored.id, form_id: stored.value.form_id });
}

/** Deletes an expired submission completely. */
export async function dropSubmission(work: FormsWork, stored: Stored<Submission>): Promise<void> {
  await dropFiles(work, stored.value);
  await forgetSecret(work, stored.id);
  work.tx.remove(submissions, stored);
}

async function forgetSecret({ tx }: FormsWork, id: string): Promise<void> {
  const secret = await tx.get(submissionSecrets, id);
  if (secret === null) return;
  for (const storeMailId of secret.value.letter_ids) await withdrawStoreMail(tx, storeMailId);
  for (const markId of secret.value.mark_ids) {
    const mark = await tx.get(marks, markId);
    if (mark !== null) tx.remove(marks, mark);
  }
  tx.remove(submissionSecrets, secret);
}
