import type { Config } from "../config/schema.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { ageMs, lastBackup, takeBackup } from "../storage/backup-files.ts";
import type { StoreDriver } from "../storage/contract.ts";
import type { Deps } from "./deps.ts";
import { fine } from "./doctor/finding.ts";
import type { Finding } from "./doctor/finding.ts";

const HOUR_MS = 3_600_000;
/** A run that comes a little early must not skip its turn. */
const EARLY_MS = 300_000;

type Settings = Config["backup"];

/** None where no folder is configured. */
export function createBackupJobs(deps: {
  readonly config: Pick<Config, "backup">;
  readonly store: StoreDriver;
}): ScheduledJob[] {
  const { folder, everyHours, keep } = deps.config.backup;
  if (folder === undefined) return [];
  return [
    {
      id: "storage.backup",
      summary: "Writes a backup into backup.folder, reads it back, and removes the oldest",
      schedule: "*/10 * * * *",
      on: "platform",
      async run({ now, nowAt }) {
        const last = await lastBackup(deps.store);
        if (last !== null && ageMs(last, now) < everyHours * HOUR_MS - EARLY_MS) return { documents: 0 };
        const { documents } = await takeBackup(deps.store, { folder, keep }, nowAt);
        return { documents };
      },
    },
  ];
}

/** Overdue when a backup was missed: one may be under way, or late by a restart. */
export const isOverdue = ({ everyHours }: Settings, backupAgeMs: number): boolean =>
  backupAgeMs > 2 * everyHours * HOUR_MS;

export async function checkBackup({ config, store, clock, lifecycle }: Deps): Promise<Finding> {
  const { folder, everyHours } = config.backup;
  if (folder === undefined) {
    return fine("no schedule: set backup.folder, or run `platform storage backup` yourself");
  }
  const last = await lastBackup(store);
  const fix = "platform jobs list; platform jobs run storage.backup; look at the log";
  if (last === null) {
    const isNew = !isOverdue(config.backup, clock.now() - lifecycle.startedAtMs);
    return { status: isNew ? "warn" : "fail", detail: `no backup yet in ${folder}`, fix };
  }
  const hours = Math.floor(ageMs(last, clock.now()) / HOUR_MS);
  const detail = `${last.file} in ${folder}: ${last.documents} documents, ${hours} h old, every ${everyHours} h`;
  return isOverdue(config.backup, ageMs(last, clock.now()))
    ? { status: "fail", detail: `overdue: ${detail}`, fix }
    : fine(detail);
}

/** A gauge in the text that Prometheus reads; nothing where no backup was made. */
export async function backupMetric({ store, clock }: Pick<Deps, "store" | "clock">): Promise<string> {
  const last = await lastBackup(store).catch(() => null);
  if (last === null) return "";
  const name = "platform_backup_age_seconds";
  const seconds = Math.max(0, Math.round(ageMs(last, clock.now()) / 1000));
  return `# HELP ${name} Age of the last scheduled backup that was read back whole.\n# TYPE ${name} gauge\n${name} ${seconds}\n`;
}
