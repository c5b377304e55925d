import { defineStates } from "../../../core/states.ts";
import { DraftStatus } from "../schema/draft.ts";

export const DRAFT_ACTIONS = [
  "submit",
  "approve",
  "request_changes",
  "schedule",
  "unschedule",
  "publish",
  "unpublish",
  "archive",
  "restore",
] as const;
export type DraftAction = (typeof DRAFT_ACTIONS)[number];

/** Allowed actions per status. `statusAfter` returns the resulting status. */
const ALLOWED: Readonly<Record<DraftStatus, readonly DraftAction[]>> = {
  draft: ["submit", "schedule", "publish", "archive"],
  in_review: ["approve", "request_changes", "archive"],
  changes_requested: ["submit", "archive"],
  approved: ["schedule", "publish", "archive"],
  scheduled: ["unschedule", "archive"],
  published: ["unpublish"],
  archived: ["restore"],
};

/** Fields of a draft that the state machine uses in addition to its status. */
export interface DraftState {
  readonly status: DraftStatus;
  readonly revision: number;
  readonly pending_revision: number | null;
  readonly approvals: readonly { readonly by: string; readonly revision: number }[];
}

/** Actions that the draft allows now. A staged revision of a published draft can be approved and published. */
export const allowedActions = ({ status, pending_revision: pending }: DraftState): readonly DraftAction[] =>
  status === "published" && pending !== null ? ["approve", "publish", ...ALLOWED.published] : ALLOWED[status];

export const isAllowed = (state: DraftState, action: DraftAction): boolean =>
  allowedActions(state).includes(action);

/** The revision that an approval or a publication applies to: the newest one. */
export const revisionAtStake = ({ revision, pending_revision: pending }: DraftState): number =>
  pending ?? revision;

/** Reviewers who approved the revision, each once: an approval of an earlier one does not count. */
export const approvalsOf = (state: DraftState): number =>
  new Set(state.approvals.filter(({ revision }) => revision === revisionAtStake(state)).map(({ by }) => by))
    .size;

/** Whether the revision has all required approvals; one is enough to leave the review. */
export const isApproved = (state: DraftState, required: number): boolean =>
  approvalsOf(state) >= Math.max(1, required);

/** The status after an allowed action. `required` is the number of approvals that the store requires. */
export function statusAfter(state: DraftState, action: DraftAction, required: number): DraftStatus {
  switch (action) {
    case "submit":
      return "in_review";
    case "approve":
      // A staged revision is approved while the status of the post does not change.
      if (state.status === "published") return "published";
      return isApproved(state, required) ? "approved" : "in_review";
    case "request_changes":
      return "changes_requested";
    case "schedule":
      return "scheduled";
    case "unschedule":
      return isApproved(state, required) ? "approved" : "draft";
    case "publish":
      return "published";
    case "unpublish":
    case "restore":
      return "draft";
    case "archive":
      return "archived";
  }
}

/**
 * The status after a change of content: approved content returns to review if the store requires approvals,
 * since they applied to another text. Null if it cannot be changed in its status.
 */
export function statusAfterEdit(status: DraftStatus, required: number): DraftStatus | null {
  if (status === "archived") return null;
  if (required === 0) return status;
  if (status === "scheduled") return null;
  return status === "approved" ? "in_review" : status;
}

/** Of a draft whose store requires one approval, which it has once it is approved. */
export const draftStates = defineStates("Draft", {
  collection: "content.drafts",
  states: DraftStatus.options,
  actions: DRAFT_ACTIONS,
  next(status, action) {
    const isWritten = status === "draft" || status === "changes_requested";
    const approvals = isWritten ? [] : [{ by: "reviewer", revision: 1 }];
    const state = { status, revision: 1, pending_revision: null, approvals };
    return isAllowed(state, action) ? statusAfter(state, action, 1) : null;
  },
});
