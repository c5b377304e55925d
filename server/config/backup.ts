import { z } from "zod";

import { parseS3Url, S3_URL } from "./s3-url.ts";
import { integer, listOf, text, textLike } from "./values.ts";

const isTarget = (to: string): boolean => !to.startsWith("s3:") || parseS3Url(to) !== null;

/** Recipients of https://age-encryption.org/v1, type X25519. */
const isRecipient = (value: string): boolean => /^age1[02-9ac-hj-np-z]{58}$/.test(value);

/** Scheduled backups. */
export const Backup = z
  .strictObject({
    to: textLike(`a folder or ${S3_URL}`, isTarget)
      .optional()
      .meta({
        env: "PLATFORM_BACKUP_TO",
        path: true,
        description: `Target of scheduled backups: a folder or ${S3_URL}, best on another machine. Default: no schedule.`,
      }),
    everyHours: integer(1, 720)
      .default(24)
      .meta({ env: "PLATFORM_BACKUP_EVERY_HOURS", description: "Hours between two backups." }),
    keep: integer(1, 1000).default(14).meta({
      env: "PLATFORM_BACKUP_KEEP",
      description: "Number of backups to keep; the oldest are deleted.",
    }),
    recipients: listOf(textLike("an age recipient such as age1…", isRecipient)).default([]).meta({
      env: "PLATFORM_BACKUP_RECIPIENTS",
      description: "Public keys (age recipients) that backups are encrypted for. Default: no encryption.",
    }),
    accessKeyId: text().optional().meta({
      env: "PLATFORM_BACKUP_ACCESS_KEY_ID",
      secret: true,
      description: "Access key id for a target on S3.",
    }),
    secretAccessKey: text().optional().meta({
      env: "PLATFORM_BACKUP_SECRET_ACCESS_KEY",
      secret: true,
      description: "Secret access key for a target on S3.",
    }),
    sessionToken: text().optional().meta({
      env: "PLATFORM_BACKUP_SESSION_TOKEN",
      secret: true,
      description: "Session token, with temporary credentials.",
    }),
  })
  .superRefine((backup, ctx) => {
    if (backup.to?.startsWith("s3:") !== true) return;
    for (const name of ["accessKeyId", "secretAccessKey"] as const) {
      if (backup[name] !== undefined) continue;
      const message = "expected a value, because backup.to is on S3";
      ctx.addIssue({ code: "custom", path: [name], message });
    }
  })
  .prefault({});
