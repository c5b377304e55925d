import { z } from "zod";

import { defineMail, InlineText, toReadableInstant } from "../template.ts";

/** Sent to the operator once for each period without a scheduled backup. */
export const backupOverdue = defineMail({
  name: "backup-overdue",
  summary: "Sent to the operator (`admin.email`) when a scheduled backup is overdue.",
  reason: "you operate this service",
  schema: z.object({
    target: InlineText,
    every_hours: z.int(),
    last_backup_at: z.iso.datetime().nullable(),
  }),
  example: {
    target: "s3://shop-backups/daily?region=eu-central-1",
    every_hours: 24,
    last_backup_at: "2026-11-22T14:05:00.000Z",
  },
  subject: "A backup is overdue",
  values: (data, { baseUrl }) => ({
    base_url: baseUrl,
    target: data.target,
    every_hours: String(data.every_hours),
    last_backup:
      data.last_backup_at === null
        ? "No backup was completed yet."
        : `The last complete backup was taken on ${toReadableInstant(data.last_backup_at)}.`,
    show: "platform jobs list",
    retry: "platform jobs run storage.backup",
    backups_link: `${baseUrl}/_/storage/backups`,
  }),
  text: (mail) => `A backup is overdue
===================

${mail.last_backup}
A backup is due every ${mail.every_hours} hours. No further mail is sent until a
backup succeeds.

Target: ${mail.target}

To see why the latest run failed:

${mail.show}

To run it now:

${mail.retry}

Backups in the console:

${mail.backups_link}

--${" "}
Sent by ${mail.base_url}
`,
});
