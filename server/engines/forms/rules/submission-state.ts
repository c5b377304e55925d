import type { SubmissionStatus } from "../schema/submission.ts";

export type SubmissionAction = "spam" | "unspam" | "open" | "done";

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
