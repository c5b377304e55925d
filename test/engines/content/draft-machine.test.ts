import * as fc from "fast-check";
import { expect, it } from "vitest";

import {
  allowedActions,
  approvalsOf,
  DRAFT_ACTIONS,
  isAllowed,
  isApproved,
  revisionAtStake,
  statusAfter,
  statusAfterEdit,
} from "../../../server/engines/content/rules/draft-machine.ts";
import type { DraftState } from "../../../server/engines/content/rules/draft-machine.ts";
import { DraftStatus } from "../../../server/engines/content/schema/draft.ts";
import { seeded } from "../../seeded.ts";

const state = (status: DraftStatus, more: Partial<DraftState> = {}): DraftState => ({
  status,
  revision: 1,
  pending_revision: null,
  approvals: [],
  ...more,
});

it.each([
  ["draft", "submit", 0, "in_review"],
  ["changes_requested", "submit", 0, "in_review"],
  ["in_review", "request_changes", 0, "changes_requested"],
  ["draft", "schedule", 0, "scheduled"],
  ["approved", "schedule", 0, "scheduled"],
  ["scheduled", "unschedule", 0, "draft"],
  ["draft", "publish", 0, "published"],
  ["published", "unpublish", 0, "draft"],
  ["archived", "restore", 0, "draft"],
  ["scheduled", "archive", 0, "archived"],
] as const)("%s takes %s", (from, action, required, to) => {
  expect(isAllowed(state(from), action)).toBe(true);
  expect(statusAfter(state(from), action, required)).toBe(to);
});

it("refuses everything else", () => {
  const taken = DraftStatus.options.map((status) => allowedActions(state(status)).length);
  // draft, in_review, changes_requested, approved, scheduled, published, archived
  expect(taken).toEqual([4, 3, 2, 3, 2, 1, 1]);
  expect(allowedActions(state("published", { pending_revision: 2 }))).toEqual([
    "approve",
    "publish",
    "unpublish",
  ]);
});

it("counts approvals of the revision at stake, each reviewer once", () => {
  const approvals = [
    { by: "a", revision: 1 },
    { by: "a", revision: 2 },
    { by: "a", revision: 2 },
    { by: "b", revision: 2 },
  ];
  const at = state("in_review", { revision: 2, approvals });
  expect([approvalsOf(at), isApproved(at, 2), isApproved(at, 3)]).toEqual([2, true, false]);
  expect(approvalsOf(state("in_review", { revision: 1, approvals }))).toBe(1);
  expect(revisionAtStake(state("published", { pending_revision: 4 }))).toBe(4);
  expect(statusAfter(at, "approve", 2)).toBe("approved");
  expect(statusAfter(at, "approve", 3)).toBe("in_review");
  expect(statusAfter(at, "unschedule", 2)).toBe("approved");
  expect(isApproved(state("in_review"), 0)).toBe(false);
});

it.each([
  ["draft", 0, "draft"],
  ["approved", 0, "approved"],
  ["approved", 1, "in_review"],
  ["scheduled", 0, "scheduled"],
  ["scheduled", 1, null],
  ["published", 1, "published"],
  ["archived", 0, null],
] as const)("an edit of what is %s with %i approvals leads to %s", (status, required, after) =>
  expect(statusAfterEdit(status, required)).toBe(after),
);

it("goes where it may whatever is tried: one status, and published only by publish", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...DRAFT_ACTIONS), { maxLength: 40 }),
      fc.integer({ min: 0, max: 3 }),
      (actions, required) => {
        let now = state("draft");
        for (const [at, action] of actions.entries()) {
          if (!isAllowed(now, action)) continue;
          const approvals =
            action === "approve"
              ? [...now.approvals, { by: `r${at % 3}`, revision: now.revision }]
              : now.approvals;
          const before = now.status;
          const status = statusAfter({ ...now, approvals }, action, required);
          expect(DraftStatus.options).toContain(status);
          if (status === "published" && before !== "published") expect(action).toBe("publish");
          if (status === "approved")
            expect(approvalsOf({ ...now, approvals })).toBeGreaterThanOrEqual(Math.max(1, required));
          if (before === "archived") expect(status).toBe("draft");
          now = { ...now, status, approvals };
        }
      },
    ),
    seeded(),
  );
});
