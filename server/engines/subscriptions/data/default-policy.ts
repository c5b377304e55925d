import type { DunningPolicy } from "../schema/policy.ts";

/**
 * The policy of contracts without one: six retries over two weeks (Stripe recommends eight within two weeks, Visa
 * allows fifteen in thirty days), stock looked at weekly, and the cycle skipped at the end.
 */
export const DEFAULT_POLICY: DunningPolicy = {
  id: "dun_default",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
  title: "Default",
  retry_days: [1, 3, 5, 7, 10, 14],
  retry_time: "09:00",
  inventory_days: [7, 14, 21],
  system_minutes: [5, 30, 120],
  grace_days: 14,
  action_hours: 72,
  max_attempts: 15,
  mail_stages: [1, 3],
  payday_shift: false,
  on_exhausted: "skip_cycle",
  overdue_stages: [],
  max_catch_up: 1,
};
