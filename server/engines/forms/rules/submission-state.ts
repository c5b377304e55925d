import { defineStates } from "../../../core/states.ts";
import { SubmissionStatus } from "../schema/submission.ts";

const SUBMISSION_ACTIONS = ["spam", "unspam", "open", "done"] as const;
export type SubmissionAction = (typeof SUBMISSION_ACTIONS)[number];

const FROM: Readonly<Record<SubmissionAction, readonly SubmissionStatus[]>> = {
  spam: ["new", "open", "done", "quarantined"],
  unspam: ["spam", "quarantined"],
  open: ["new", "done"],
  done: ["new", "open"],
};
const TO: Readonly<Record<SubmissionAction, SubmissionStatus>> = {
  spam: "spam",
  unspam: "new",
  open: "open",
  done: "done",
};

/** The status after an action; null if it is not allowed. */
export const nextStatus = (action: SubmissionAction, status: SubmissionStatus): SubmissionStatus | null =>
  FROM[action].includes(status) ? TO[action] : null;

/** Held: no notification, no reply and no webhook. */
export const isHeld = (status: SubmissionStatus): boolean => status === "spam" || status === "quarantined";

export const submissionStates = defineStates("Submission", {
  collection: "forms.submissions",
  states: SubmissionStatus.options,
  actions: [...SUBMISSION_ACTIONS, "complete", "erase"],
  next(status, action) {
    if (action === "complete") return status === "partial" ? ["new", "spam", "quarantined"] : null;
    return action === "erase" ? "erased" : nextStatus(action, status);
  },
});
