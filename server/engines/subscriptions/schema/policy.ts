import { z } from "zod";

import { LocalTime, resourceFields } from "../../../core/schema.ts";
import { OverdueStage, Text } from "./parts.ts";

export const policyFields = {
  title: Text,
  retry_days: z
    .array(z.int().min(1).max(60))
    .max(14)
    .meta({ description: "Local days after the first failure" }),
  retry_time: LocalTime,
  inventory_days: z.array(z.int().min(1).max(60)).max(14),
  system_minutes: z.array(z.int().min(1).max(1440)).max(6),
  grace_days: z.int().min(0).max(60).meta({
    description: "Days to replace a declined payment method before the charge is exhausted",
  }),
  action_hours: z.int().min(1).max(168),
  max_attempts: z.int().min(1).max(15),
  mail_stages: z
    .array(z.int().min(1).max(15))
    .max(15)
    .meta({ description: "Failures that send a mail, in addition to the last" }),
  payday_shift: z.boolean(),
  on_exhausted: z.enum(["skip_cycle", "pause", "unpaid", "cancel"]),
  overdue_stages: z.array(OverdueStage).max(10),
  max_catch_up: z
    .int()
    .min(1)
    .max(12)
    .meta({ description: "Overdue cycles billed after an outage; the newest ones" }),
};
export const DunningPolicy = z.strictObject({ ...resourceFields, ...policyFields });
export type DunningPolicy = z.output<typeof DunningPolicy>;
