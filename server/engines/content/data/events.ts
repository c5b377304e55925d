import type { EventType } from "../../../core/engine.ts";

const draft = (action: string, summary: string, status: string): EventType => ({
  type: `content.draft.${action}`,
  summary,
  example: { draft_id: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0", kind: "post", status, revision: 1 },
});

const budget = (action: string, summary: string): EventType => ({
  type: `content.budget.${action}`,
  summary,
  example: {
    budget_id: "bud_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    period: "month",
    period_start: "2026-06-01",
    unit: "micros",
    limit: 5_000_000,
    used: 4_100_000,
    reserved: 0,
    on_exceed: "fallback_builtin",
  },
});

/** Events of the engine and of its AI budgets. */
export const CONTENT_EVENTS: readonly EventType[] = [
  draft("created", "A draft was created.", "draft"),
  draft("submitted", "A review was requested.", "in_review"),
  draft("approved", "A draft has all the approvals that the store requires.", "approved"),
  draft("scheduled", "A draft was scheduled for publication.", "scheduled"),
  draft("published", "A post, or a new revision of one, was published.", "published"),
  draft("unpublished", "A post was unpublished.", "draft"),
  {
    type: "content.article.decayed",
    summary: "A tracked article has lost at least 30 % of its best weekly clicks.",
    example: { article_id: "art_01JD8Z5T9QK3M4N5P6R7S8T9V0", pct: -41.5, since: "2026-04-06" },
  },
  budget("soft", "A budget reached its warning threshold."),
  budget("exceeded", "A call exceeded a budget."),
];
