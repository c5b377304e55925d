import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import type { Stored } from "../../../core/tx.ts";
import { forms, submissions, submissionSecrets } from "../repository.ts";
import { isOpenRequest } from "../rules/quote-state.ts";
import type { Submission, SubmissionSecret } from "../schema/submission.ts";
import { dropFiles } from "./attach-files.ts";
import { contentOf, findLiveForm } from "./live-form.ts";
import { moveRequest, requestOf, restoreRequest } from "./quote-requests.ts";
import { follow, toKept } from "./submit.ts";
import { giveTurnBack, takeTurn } from "./turns.ts";
import type { FormsWork } from "./work.ts";

/** Counts a submission that is no spam after all, or does not count one that is. */
async function recount({ tx }: FormsWork, formId: string, change: 1 | -1): Promise<void> {
  const live = await findLiveForm(tx, formId);
  if (live === null || live.content.settings.max_submissions === null) return;
  const { form } = live;
  tx.put(forms, form, { ...form.value, submissions: Math.max(0, form.value.submissions + change) });
}

/** Side effects of marking a submission as spam: its sender can send again, and its quote request is closed. */
export async function holdBack(work: FormsWork, submission: Submission): Promise<void> {
  await recount(work, submission.form_id, -1);
  const secret = await work.tx.get(submissionSecrets, submission.id);
  if (secret !== null) await giveTurnBack(work, secret);
  const request = await requestOf(work, submission);
  if (request !== null && isOpenRequest(request.value.status)) {
    moveRequest(work, request, "spam", { by: "shop" });
  }
}

/**
 * Releases a held submission. The first time it has the effects of an acceptance; a previously accepted one
 * has sent its mails, and only its quote request and its turn are restored, unless the turn is used by another.
 */
export async function letIn(
  work: FormsWork,
  stored: Stored<Submission>,
  status: Submission["status"],
): Promise<Stored<Submission>> {
  const { nowAt, tx } = work;
  if (stored.value.status === "spam") await recount(work, stored.value.form_id, 1);
  const next: Submission = { ...stored.value, status, updated_at: nowAt };
  const content = await contentOf(tx, next.form_id, next.form_version);
  const secret = await tx.get(submissionSecrets, stored.id);
  const isFirst = next.spam.verdict !== "accept" && secret?.value.followed !== true;
  const followed =
    content !== null && isFirst ? await follow(work, content, next, "submission.released") : null;
  if (content !== null && secret !== null) {
    const { letter_ids: storeMailIds, mark_ids: markIds, turn_id: turn } = secret.value;
    const previousSecret: SubmissionSecret = {
      ...secret.value,
      mark_ids: [...markIds, ...(await takeTurn(work, turn, content))],
      letter_ids: [...storeMailIds, ...(followed?.storeMailIds ?? [])],
      followed: true,
    };
    tx.put(submissionSecrets, secret, previousSecret);
  }
  if (content === null || followed === null) {
    const request = await requestOf(work, next);
    if (request?.value.status === "spam") restoreRequest(work, request);
    return tx.put(submissions, stored, next);
  }
  const { retention_days: days, storage } = content.settings;
  if (storage !== "full") await dropFiles(work, next);
  const kept = toKept(next, storage === "none" ? "metadata" : storage, followed.quoteRequestId) ?? next;
  const until = toInstant(Date.parse(next.created_at) + days * DAY_MS);
  return tx.put(submissions, stored, storage === "metadata" ? { ...kept, expires_at: until } : kept);
}
