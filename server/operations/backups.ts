import { z } from "zod";

import type { Config } from "../config/schema.ts";
import { expandContent } from "../core/contents.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { derivedId } from "../core/ids.ts";
import { fail } from "../lib/errors.ts";
import { HOUR_MS, toInstant } from "../lib/instant.ts";
import { MAIL_PART, mailKey, mailOps } from "../mail/record.ts";
import { ageMs, lastBackup, listBackups, takeBackup, verifiedBackups } from "../storage/backup-files.ts";
import type { ListedBackup } from "../storage/backup-files.ts";
import { openBackupTarget } from "../storage/backup-targets.ts";
import type { BackupTarget } from "../storage/backup-targets.ts";
import type { Key, StoreDriver } from "../storage/contract.ts";
import { OWN_PART, STATE_COLL } from "../storage/own.ts";
import type { Deps } from "./deps.ts";
import { failed, fine } from "./doctor/finding.ts";
import type { Finding } from "./doctor/finding.ts";

/** A run that comes a little early must not skip its turn. */
const EARLY_MS = 300_000;
const EVERY_TEN_MINUTES = "*/10 * * * *";

type Settings = Config["backup"];
/** With a target. */
type Planned = Settings & { readonly to: string };
type JobDeps = Pick<Deps, "config" | "store" | "mail" | "secret" | "ports">;

/** None where no target is configured. */
export function createBackupJobs(deps: JobDeps): ScheduledJob[] {
  const { config, ports, store } = deps;
  const plan = planOf(config.backup);
  if (plan === null) return [];
  return [
    {
      id: "storage.backup",
      summary: "Writes a backup to backup.to, reads it back, and deletes the oldest",
      schedule: EVERY_TEN_MINUTES,
      on: "platform",
      async run({ now, nowAt }) {
        const last = await lastBackup(store);
        if (last !== null && !isDue(plan, ageMs(last, now))) return { documents: 0 };
        const { documents } = await withTarget(plan, (target) =>
          takeBackup(store, { ...plan, target, expand: (doc) => expandContent(ports.files, doc) }, nowAt),
        );
        return { documents };
      },
    },
    {
      id: "storage.backup-overdue",
      summary: "Sends a mail to admin.email when a backup is overdue",
      schedule: EVERY_TEN_MINUTES,
      on: "platform",
      run: async ({ now }) => ({ mails: await reportOverdue(deps, plan, now) }),
    },
  ];
}

const planOf = (settings: Settings): Planned | null =>
  settings.to === undefined ? null : { ...settings, to: settings.to };

async function withTarget<R>(plan: Planned, work: (target: BackupTarget) => Promise<R>): Promise<R> {
  const target = await openBackupTarget(plan.to, plan);
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

/** One of the future is of a clock that was set back since, by more than the clocks of two nodes differ. */
const isDue = ({ everyHours }: Settings, backupAgeMs: number): boolean =>
  backupAgeMs >= everyHours * HOUR_MS - EARLY_MS || backupAgeMs < -EARLY_MS;

/** Overdue when a backup was missed: one may be under way, or late by a restart. */
const isOverdue = ({ everyHours }: Settings, backupAgeMs: number): boolean =>
  backupAgeMs > 2 * everyHours * HOUR_MS;

const OverdueState = z.object({
  /** When backups were first due: their age where there is none yet. */
  since: z.string(),
  /** `taken_at` of the backup, or `since`, whose age was reported. */
  reported: z.string().nullable(),
});
const OVERDUE_KEY: Key = `${OWN_PART}:${STATE_COLL}:backup-overdue`;

/** Sends one mail for each period without a backup. Resolves to the number of mails. */
async function reportOverdue(
  { config, store, mail, secret }: JobDeps,
  plan: Planned,
  now: number,
): Promise<number> {
  const found = await store.get(OVERDUE_KEY);
  const state =
    found === null ? { since: toInstant(now), reported: null } : OverdueState.parse(JSON.parse(found.value));
  const last = await lastBackup(store);
  const reference = last?.taken_at ?? state.since;
  const to = config.admin.email;
  const isOld = isOverdue(plan, ageMs({ taken_at: reference }, now));
  const isDue = to !== undefined && isOld && state.reported !== reference;
  if (isDue) {
    const id = derivedId("mail", secret, ["backup-overdue", reference]);
    const data = { target: plan.to, every_hours: plan.everyHours, last_backup_at: last?.taken_at ?? null };
    const message = await mail.compose({ id, to, template: "backup-overdue", data });
    await store.commit(MAIL_PART, mailOps(message), [{ key: mailKey(id), version: 0 }]);
  }
  const reported = isDue ? reference : state.reported;
  if (found === null || reported !== state.reported) await writeState(store, { ...state, reported });
  return isDue ? 1 : 0;
}

const writeState = (store: StoreDriver, state: z.infer<typeof OverdueState>) =>
  store.commit(OWN_PART, [{ put: OVERDUE_KEY, value: JSON.stringify(state) }]);

export async function checkBackup({ config, store, clock, lifecycle }: Deps): Promise<Finding> {
  const plan = planOf(config.backup);
  if (plan === null) return fine("no schedule: set backup.to, or run `platform storage backup` yourself");
  const { to, everyHours } = plan;
  const last = await lastBackup(store);
  const fix = "platform jobs list; platform jobs run storage.backup; look at the log";
  if (last === null) {
    const isNew = !isOverdue(plan, clock.now() - lifecycle.startedAtMs);
    return { status: isNew ? "warn" : "fail", detail: `no backup yet in ${to}`, fix };
  }
  const hours = Math.floor(ageMs(last, clock.now()) / HOUR_MS);
  const detail = `${last.file} in ${to}: ${last.documents} documents, ${hours} h old, every ${everyHours} h`;
  return isOverdue(plan, ageMs(last, clock.now())) ? failed(`overdue: ${detail}`, fix) : fine(detail);
}

/** A gauge in the text that Prometheus reads; nothing where no backup was made. */
export async function backupMetric({ store, clock }: Pick<Deps, "store" | "clock">): Promise<string> {
  const last = await lastBackup(store).catch(() => null);
  if (last === null) return "";
  const name = "platform_backup_age_seconds";
  const seconds = Math.max(0, Math.round(ageMs(last, clock.now()) / 1000));
  return `# HELP ${name} Age of the last scheduled backup that was read back whole.\n# TYPE ${name} gauge\n${name} ${seconds}\n`;
}

const listTarget = (plan: Planned): Promise<ListedBackup[]> =>
  withTarget(plan, listBackups).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw fail("service_unavailable", `The backup target ${plan.to} cannot be read: ${reason}.`);
  });

export const BackupView = z.strictObject({
  file: z.string(),
  taken_at: z.string().meta({ description: "Time that a restore returns to." }),
  age_seconds: z.int(),
  bytes: z.int(),
  documents: z.int().nullable().meta({ description: "Null if this store has no record of the backup." }),
  encrypted: z.boolean(),
  verified: z.boolean().meta({ description: "True if it was read back completely after it was written." }),
  overdue: z.boolean().meta({ description: "True on the latest backup if the next one is overdue." }),
});
export type BackupView = z.output<typeof BackupView>;

/** What is at the target, the newest first; empty where none is configured. */
export async function viewBackups({ config, store, clock }: Pick<Deps, "config" | "store" | "clock">) {
  const plan = planOf(config.backup);
  if (plan === null) return [];
  const [files, verified] = await Promise.all([listTarget(plan), verifiedBackups(store)]);
  const known = new Map(verified.map((record) => [record.file, record]));
  return files.map((one, index): BackupView => {
    const record = known.get(one.file);
    const age = ageMs(one, clock.now());
    return {
      ...one,
      age_seconds: Math.max(0, Math.round(age / 1000)),
      encrypted: one.file.endsWith(".age"),
      verified: record !== undefined && record.bytes === one.bytes,
      documents: record?.documents ?? null,
      overdue: index === 0 && isOverdue(plan, age),
    };
  });
}
