import { z } from "zod";

import { declaredIndexes } from "../../core/collection.ts";
import { conflict, conflictWhen } from "../../lib/errors.ts";
import { ok, raw, values } from "../../core/reply.ts";
import { storeInfo } from "../../storage/admin.ts";
import { expandContent } from "../../core/contents.ts";
import { backupStream } from "../../storage/backup.ts";
import type { Doc, StoreDriver } from "../../storage/contract.ts";
import { describeLimits, describeStore } from "../../storage/describe.ts";
import { findFreeze } from "../../storage/freeze.ts";
import { upgradeStore } from "../../storage/upgrade.ts";
import { verifyStore } from "../../storage/verify.ts";
import type { Deps } from "../deps.ts";
import { BackupView, viewBackups } from "../backups.ts";
import { defineOperationsRoute } from "../context.ts";
import { compareFiles } from "../stored-files.ts";
import { storeIdOf } from "../../accounts/secret.ts";

const storageInfo = defineOperationsRoute({
  id: "admin.storage.info",
  method: "GET",
  path: "/storage/info",
  summary: "Retrieve storage information: driver, size, partitions and collections",
  data: z.strictObject({
    id: z.string().meta({ description: "Identifies the data. Copies in other drivers have the same id." }),
    driver: z.string(),
    location: z.string().meta({ description: "Location of the data, without secrets." }),
    nodes: z.enum(["one", "many"]).meta({ description: "Number of processes that can use it." }),
    limits: z.string().meta({ description: "Where rate limits are counted." }),
    frozen: z.string().nullable().meta({ description: "Why writes are frozen; null if they are accepted." }),
    documents: z.int(),
    partitions: z.array(
      z.strictObject({
        name: z.string(),
        version: z.int().meta({ description: "Number of commits." }),
        documents: z.int(),
        collections: z.array(z.strictObject({ name: z.string(), count: z.int() })),
      }),
    ),
    stats: z.record(z.string(), z.number()),
  }),
  example: {
    data: {
      id: "5f0c2a9be1d34786",
      driver: "fs",
      location: "/srv/shop/data",
      nodes: "one",
      limits: "in this process",
      frozen: null,
      documents: 812,
      partitions: [
        {
          name: "platform",
          version: 240,
          documents: 36,
          collections: [{ name: "platform.customers", count: 12 }],
        },
      ],
      stats: { log_bytes: 1_048_576 },
    },
  },
  async handle(_input, { deps, now }) {
    const { config, store, secret } = deps;
    const { partitions, stats, ...info } = await storeInfo(store);
    const frozen = await findFreeze(store, now);
    return ok({
      id: storeIdOf(secret),
      ...info,
      location: describeStore(config.storage),
      limits: describeLimits(config.storage, config.limits.url),
      frozen: frozen?.reason ?? null,
      partitions: partitions.map((part) => ({ ...part, collections: [...part.collections] })),
      stats: { ...stats },
    });
  },
});

const verifyStorage = defineOperationsRoute({
  id: "admin.storage.verify",
  method: "POST",
  path: "/storage/verify",
  summary: "Verify all documents, index entries and files",
  description:
    "With `fix`, invalid index entries are removed, missing ones are added, and files are deleted that no document refers to. Documents are never changed.",
  body: z.strictObject({ fix: z.boolean().default(false) }).prefault({}),
  data: z.strictObject({
    ok: z.boolean().meta({ description: "True if no problem remains." }),
    documents: z.int(),
    problem_count: z.int(),
    fixed_count: z.int(),
    problems: z.array(z.strictObject({ key: z.string(), problem: z.string(), fixed: z.boolean() })),
  }),
  example: { body: { fix: false } },
  async handle({ body: { fix } }, { deps }) {
    await deps.loadEngines();
    const indexed = (coll: string) => declaredIndexes.get(coll) ?? null;
    const { documents, problemCount, fixedCount, problems } = await verifyStore(deps.store, { indexed, fix });
    const files = await verifyFiles(deps, fix);
    const problem_count = problemCount + files.length;
    const fixed_count = fixedCount + files.filter(({ fixed }) => fixed).length;
    return ok({
      ok: problem_count === fixed_count,
      documents,
      problem_count,
      fixed_count,
      problems: [...problems, ...files.slice(0, FILES_MAX)],
    });
  },
});

/** Files of which problems are listed. */
const FILES_MAX = 1_000;

async function verifyFiles(deps: Pick<Deps, "loadEngines" | "ports" | "runTx" | "store">, fix: boolean) {
  const { files } = deps.ports;
  const { missing, strays } = await compareFiles(deps, files);
  if (fix) for (const path of strays) await files?.remove(path);
  return [
    ...missing.map((key) => ({ key, problem: "the file is missing", fixed: false })),
    ...strays.map((key) => ({ key, problem: "no document refers to this file", fixed: fix })),
  ];
}

const migrateStorage = defineOperationsRoute({
  id: "admin.storage.migrate",
  method: "POST",
  path: "/storage/migrate",
  summary: "Rewrite documents of older versions in the current format",
  description:
    "Optional: older documents are upgraded on every read. Afterwards new indexes include them, reads need no upgrade, and servers of an older version refuse them. With `dry_run` they are only counted.",
  body: z.strictObject({ dry_run: z.boolean().default(false) }).prefault({}),
  data: z.strictObject({
    documents: z.int().meta({ description: "Number of documents read." }),
    lifted: z
      .int()
      .meta({ description: "Number of documents of an older version that were, or would be, rewritten." }),
  }),
  errors: [conflictWhen("newer_version", "A document was written by a newer version of the platform")],
  example: { body: { dry_run: false } },
  async handle({ body: { dry_run: dryRun } }, { deps }) {
    await deps.loadEngines();
    const liftingOf = (coll: string) => declaredIndexes.get(coll) ?? null;
    return ok({ ...(await upgradeStore(deps.store, liftingOf, { dryRun })) });
  },
});

const NDJSON = "application/x-ndjson";

const exportStorage = defineOperationsRoute({
  id: "admin.storage.export",
  role: "owner",
  method: "GET",
  path: "/storage/export",
  summary: "Export all documents as NDJSON, ordered by key",
  data: z.string(),
  rawType: NDJSON,
  example: {},
  async handle(_input, { deps, nowAt }) {
    await deps.loadEngines();
    return raw(
      NDJSON,
      backupStream(deps.store, { takenAt: nowAt, order: "key", ...streamOf(deps, "export") }),
    );
  },
});

const backupStorage = defineOperationsRoute({
  id: "admin.storage.backup",
  role: "owner",
  method: "GET",
  path: "/storage/backup",
  summary: "Back up all partitions, each in a consistent state, while the service is running",
  description:
    "A header line, one line `{k, v, d}` per document, and a last line with their count and checksum. Without the last line the backup is incomplete.",
  data: z.string(),
  rawType: NDJSON,
  example: {},
  async handle(_input, { deps, nowAt }) {
    await deps.loadEngines();
    return raw(NDJSON, backupStream(deps.store, { takenAt: nowAt, ...streamOf(deps, "backup") }));
  },
});

/** With the contents of files. Errors are logged, also for a reader that disconnected, which is no fault: only the log can distinguish them. */
const streamOf = ({ log, ports }: Pick<Deps, "log" | "ports">, what: string) => ({
  expand: (doc: Doc) => expandContent(ports.files, doc),
  onError: (err: unknown): void => log.warn({ err }, `${what} was interrupted`),
});

const listBackups = defineOperationsRoute({
  id: "admin.storage.backups",
  method: "GET",
  path: "/storage/backups",
  summary: "List scheduled backups at the configured target, newest first",
  data: z.array(BackupView),
  errors: [{ type: "service_unavailable", when: "The backup target cannot be read" }],
  example: {
    data: [
      {
        file: "platform-2026-06-01T02-00-00-000Z.ndjson.gz.age",
        taken_at: "2026-06-01T02:00:00.000Z",
        age_seconds: 25_200,
        bytes: 1_048_576,
        documents: 812,
        encrypted: true,
        verified: true,
        overdue: false,
      },
    ],
  },
  handle: async (_input, { deps }) => values(await viewBackups(deps)),
});

const compactStorage = defineOperationsRoute({
  id: "admin.storage.compact",
  method: "POST",
  path: "/storage/compact",
  summary: "Compact the data to remove erased documents",
  data: z.strictObject({ bytes_before: z.int(), bytes_after: z.int() }),
  errors: [conflictWhen("not_compactable", "The driver does not retain erased data")],
  example: { data: { bytes_before: 4_194_304, bytes_after: 1_048_576 } },
  async handle(_input, { deps: { store } }) {
    if (!isCompactable(store)) {
      throw conflict("not_compactable", "This storage does not retain erased data and cannot be compacted.");
    }
    const { bytesBefore, bytesAfter } = await store.compact();
    return ok({ bytes_before: bytesBefore, bytes_after: bytesAfter });
  },
});

interface Compactable {
  compact(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }>;
}

const isCompactable = (store: StoreDriver): store is StoreDriver & Compactable =>
  "compact" in store && typeof store.compact === "function";

export const storageRoutes = [
  storageInfo,
  verifyStorage,
  exportStorage,
  backupStorage,
  listBackups,
  compactStorage,
  migrateStorage,
];
