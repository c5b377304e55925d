import type { DraftStatus } from "../schema/draft.ts";

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

/** What may be done in which state. Where it leads, `statusAfter` says. */
const ALLOWED: Readonly<Record<DraftStatus, readonly DraftAction[]>> = {
  draft: ["submit", "schedule", "publish", "archive"],
  in_review: ["approve", "request_changes", "archive"],
  changes_requested: ["submit", "archive"],
  approved: ["schedule", "publish", "archive"],
  scheduled: ["unschedule", "archive"],
  published: ["unpublish"],
  archived: ["restore"],
};

/** What the machine must know of a draft beside its status. */
export interface DraftState {
  readonly status: DraftStatus;
  readonly revision: number;
  readonly pending_revision: number | null;
  readonly approvals: readonly { readonly by: string; readonly revision: number }[];
}

/** Actions that the draft can take now. What is staged for a published draft can be approved and published. */
export const allowedActions = ({ status, pending_revision: pending }: DraftState): readonly DraftAction[] =>
  status === "published" && pending !== null ? ["approve", "publish", ...ALLOWED.published] : ALLOWED[status];

export const isAllowed = (state: DraftState, action: DraftAction): boolean =>
  allowedActions(state).includes(action);

/** The revision that an approval or a publication is about: the newest one. */
export const revisionAtStake = ({ revision, pending_revision: pending }: DraftState): number =>
  pending ?? revision;

/** Reviewers who approved the revision at stake, each once: an approval of an earlier one says nothing about this. */
export const approvalsOf = (state: DraftState): number =>
  new Set(state.approvals.filter(({ revision }) => revision === revisionAtStake(state)).map(({ by }) => by))
    .size;

/** Whether the revision at stake has all the approvals that the shop asks for; one is enough to leave a review. */
export const isApproved = (state: DraftState, required: number): boolean =>
  approvalsOf(state) >= Math.max(1, required);

/** The status after an action that is allowed. `required` are the approvals that the shop asks for. */
export function statusAfter(state: DraftState, action: DraftAction, required: number): DraftStatus {
  switch (action) {
    case "submit":
      return "in_review";
    case "approve":
      // What is staged for a published draft is approved while the post stays as it is.
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
 * The status after its content was changed: what was approved goes back into review where the shop asks for approvals,
 * since they were given to another text. Null where it cannot be changed in its state.
 */
export function statusAfterEdit(status: DraftStatus, required: number): DraftStatus | null {
  if (status === "archived") return null;
  if (required === 0) return status;
  if (status === "scheduled") return null;
  return status === "approved" ? "in_review" : status;
}
