import { withdrawLetter } from "../../../core/letters.ts";
import type { Stored } from "../../../core/tx.ts";
import { erasedSubmission, marks, submissions, submissionSecrets } from "../repository.ts";
import type { Submission } from "../schema/submission.ts";
import { dropFiles } from "./attach-files.ts";
import type { World } from "./world.ts";
import { emit } from "./world.ts";

/** Erases a submission: answers, files, unsent mails. Only its existence and the time of erasure are retained. */
export async function eraseSubmission(world: World, stored: Stored<Submission>): Promise<void> {
  const { tx, nowAt } = world;
  if (stored.value.status === "erased") return;
  await dropFiles(world, stored.value);
  await forgetSecret(world, stored.id);
  tx.put(submissions, stored, erasedSubmission(stored.value, nowAt));
  emit(world, "submission.erased", { submission_id: stored.id, form_id: stored.value.form_id });
}

/** Deletes an expired submission completely. */
export async function dropSubmission(world: World, stored: Stored<Submission>): Promise<void> {
  await dropFiles(world, stored.value);
  await forgetSecret(world, stored.id);
  world.tx.remove(submissions, stored);
}

async function forgetSecret({ tx }: World, id: string): Promise<void> {
  const secret = await tx.get(submissionSecrets, id);
  if (secret === null) return;
  for (const letterId of secret.value.letter_ids) await withdrawLetter(tx, letterId);
  for (const markId of secret.value.mark_ids) {
    const mark = await tx.get(marks, markId);
    if (mark !== null) tx.remove(marks, mark);
  }
  tx.remove(submissionSecrets, secret);
}
