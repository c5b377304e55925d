import type { StoreDriver } from "../../server/storage/contract.ts";
import type { Filled } from "../../server/storage/transfer.ts";
import { fetchBackup, toBackupError, totalOf } from "./backup.ts";
import type { Cli, Input } from "../command/command.ts";
import { parseDuration, pause } from "../terminal/duration.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { numberOf, objectsOf, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { parseTarget } from "./migrate-target.ts";
import { getOne, post } from "../client/operator.ts";
import { createProgress } from "../command/progress.ts";
import { stopIfAsked } from "./restore.ts";
import { assertUnserved, copyDiffers, refused, withStoreErrors, withStore } from "./store-target.ts";
import type { StorePlace } from "./store-target.ts";

/** The source store, as reported by its service. */
interface Source {
  readonly id: string;
  readonly driver: string;
  readonly location: string;
  readonly nodes: string;
  readonly documents: number;
  readonly partitions: readonly JsonObject[];
}

/** The target and its contents. */
interface TargetState {
  readonly label: string;
  readonly documents: number;
  readonly kept: number;
  /** True if an earlier attempt of this migration started to fill it. */
  readonly isBegun: boolean;
  /** Why it cannot be the target; null if it can. */
  readonly obstacle: string | null;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Moves the data into another store. The source is the service of this folder, running or opened by this command; it accepts
 * reads but no writes during the migration and afterwards, so that nothing is written to the old store by mistake. After an
 * interruption the same command continues.
 */
export async function migrateStorage(cli: Cli, { options }: Input): Promise<number> {
  const to = text(options, "to");
  if (to === undefined) throw usageError("The target is missing.", "--to <configuration file or address>");
  const place = await parseTarget(cli, to);
  const source = toSource(await getOne(cli, "/storage/info"));
  if (flag(options, "dryRun")) return showPlan(cli, source, await inspectTarget(cli, place, source));
  return withStore(cli, place, async (store) => {
    const target = await inspect(store, place, source);
    if (target.obstacle !== null)
      throw refused(target.obstacle, "choose an empty target; --dry-run shows its contents");
    const { nameStore } = await import("../../server/storage/describe.ts");
    await assertUnserved(cli, store);
    const message = `This moves ${source.documents} documents from ${source.location} to ${target.label}. The source accepts no writes during the migration and afterwards.`;
    await cli.ask.confirmName(message, nameStore(place.storage), text(options, "confirm"));
    if (target.isBegun) cli.out.info("Continuing the interrupted migration.");
    const settle = text(options, "settle");
    const settleMs = settle === undefined ? settleTime(source) : parseDuration(settle, "--settle");
    await move(cli, { source, store, label: target.label, settleMs });
    return EXIT.ok;
  });
}

const toSource = (info: JsonObject): Source => ({
  id: textOf(info, "id"),
  driver: textOf(info, "driver"),
  location: textOf(info, "location"),
  nodes: textOf(info, "nodes"),
  documents: numberOf(info, "documents") ?? 0,
  partitions: objectsOf(info.partitions),
});

/** Opens the target only to inspect it; a store that does not exist is not created. */
async function inspectTarget(cli: Cli, place: StorePlace, source: Source): Promise<TargetState> {
  const [{ storeExists }, { describeStore }] = await Promise.all([
    import("../../server/storage/exists.ts"),
    import("../../server/storage/describe.ts"),
  ]);
  if (place.storage.driver !== "memory" && !(await withStoreErrors(storeExists(place.storage)))) {
    const label = `${describeStore(place.storage)} (will be created)`;
    return { label, documents: 0, kept: 0, isBegun: false, obstacle: null, counts: new Map() };
  }
  return withStore(cli, place, (store) => inspect(store, place, source));
}

async function inspect(store: StoreDriver, place: StorePlace, source: Source): Promise<TargetState> {
  const [transfer, { describeStore }, { storeInfo }] = await Promise.all([
    import("../../server/storage/transfer.ts"),
    import("../../server/storage/describe.ts"),
    import("../../server/storage/admin.ts"),
  ]);
  const begun = await transfer.findUnfinished(store);
  const { documents, kept } = await transfer.countKept(store);
  const { partitions } = await storeInfo(store);
  const label = `${place.storage.driver} ${describeStore(place.storage)}`;
  const isBegun = begun?.what === "migration" && begun.id === source.id;
  const isOther = begun !== null && !isBegun;
  return {
    label,
    documents,
    kept,
    isBegun,
    obstacle: isOther
      ? `${label} contains an unfinished ${begun.what} from ${begun.source}.`
      : kept > 0 && !isBegun
        ? `${label} already contains ${kept} documents.`
        : null,
    counts: new Map(
      partitions.flatMap(({ name, collections }) =>
        collections.map((one): [string, number] => [`${name}:${one.name}`, one.count]),
      ),
    ),
  };
}

async function showPlan(cli: Cli, source: Source, target: TargetState): Promise<number> {
  const rows = source.partitions.flatMap((partition) =>
    objectsOf(partition.collections).map((collection) => {
      const [part, coll] = [textOf(partition, "name"), textOf(collection, "name")];
      const found = target.counts.get(`${part}:${coll}`) ?? 0;
      return { partition: part, collection: coll, documents: collection.count, in_target: found };
    }),
  );
  await cli.out.list(
    rows,
    [
      ["PARTITION", "partition"],
      ["COLLECTION", "collection"],
      ["DOCUMENTS", "documents"],
      ["IN TARGET", "in_target"],
    ],
    { from: `${source.driver} ${source.location}`, to: target.label, obstacle: target.obstacle },
  );
  cli.out.info(
    `${source.documents} documents would be moved from ${source.driver} ${source.location} to ${target.label}.`,
  );
  cli.out.info(
    target.isBegun
      ? "An interrupted migration would be continued."
      : `The target contains ${target.documents} documents.`,
  );
  cli.out.info("Rate limit counters are not moved: every key starts a new window. Nothing was changed.");
  if (target.obstacle === null) return EXIT.ok;
  cli.out.info(`The migration would be refused: ${target.obstacle}`);
  return EXIT.refused;
}

/** Time in which writes that started before the freeze can finish on other nodes; depends on the timeout of the driver. */
function settleTime({ nodes, driver }: Source): number {
  if (nodes === "one") return 0;
  return driver === "s3" ? 20_000 : 4_000;
}

const LEASE_SECONDS = 60;
const RENEW_MS = 15_000;

interface Move {
  readonly source: Source;
  readonly store: StoreDriver;
  readonly label: string;
  readonly settleMs: number;
}

async function move(cli: Cli, { source, store, label, settleMs }: Move): Promise<void> {
  const { claimStore, endFilling } = await import("../../server/storage/transfer.ts");
  const { toInstant } = await import("../../server/lib/instant.ts");
  const freeze = await startFreeze(cli, `it is being moved to ${label}`);
  try {
    const started = toInstant(cli.clock.now());
    await pause(settleMs, cli.signal);
    stopIfAsked(cli);
    await claimStore(store, {
      what: "migration",
      source: `${source.driver} ${source.location}`,
      id: source.id,
      started_at: started,
    });
    const filled = await copyUntilUnchanged(cli, store, () => freeze.assertHeld());
    // In this order: otherwise a crash could leave two stores that both accept writes.
    await freeze.keep(`it was moved to ${label} at ${started}; platform storage thaw accepts writes again`);
    await endFilling(store);
    await printResult(cli, filled, label);
  } catch (error) {
    await freeze.end();
    throw await toBackupError(error, "The migration was interrupted");
  }
}

interface Frozen {
  /** Throws if the freeze could not be renewed. */
  assertHeld(): void;
  /** Makes it permanent. */
  keep(reason: string): Promise<void>;
  /** Accepts writes again. If the process is killed, the freeze expires. */
  end(): Promise<void>;
}

async function startFreeze(cli: Cli, reason: string): Promise<Frozen> {
  const renew = (): Promise<unknown> => post(cli, "/storage/freeze", { reason, seconds: LEASE_SECONDS });
  await renew();
  let failure: unknown = null;
  let isKept = false;
  const timer = setInterval(() => void renew().catch((error: unknown) => (failure ??= error)), RENEW_MS);
  timer.unref();
  return {
    assertHeld() {
      if (failure !== null) throw failure;
    },
    async keep(lasting) {
      clearInterval(timer);
      await post(cli, "/storage/freeze", { reason: lasting.slice(0, 200), seconds: null });
      isKept = true;
    },
    async end() {
      clearInterval(timer);
      if (!isKept) await post(cli, "/storage/thaw", {}, { isLast: true }).catch(() => undefined);
    },
  };
}

const PASSES_MAX = 5;

/** Copies repeatedly until the source did not change during a pass. */
async function copyUntilUnchanged(cli: Cli, store: StoreDriver, assertHeld: () => void): Promise<Filled> {
  const { checkFilled } = await import("../../server/storage/transfer.ts");
  for (let pass = 1; pass <= PASSES_MAX; pass++) {
    const filled = await copyOnce(cli, store, assertHeld);
    const different = await checkFilled(store, filled.expected);
    if (different.length > 0) throw copyDiffers(different);
    if (await isUnchanged(cli, filled)) return filled;
    cli.out.info("The source changed during the copy. Copying the changes.");
  }
  throw new CliError({
    type: "source_changes",
    title: "The source is still changing",
    detail: "Documents were written after the source was frozen. Is a server of an older version running?",
    exitCode: EXIT.refused,
    hint: "stop every server of the source, then run the same command again",
  });
}

async function copyOnce(cli: Cli, store: StoreDriver, assertHeld: () => void): Promise<Filled> {
  const { fillStore } = await import("../../server/storage/transfer.ts");
  const response = await fetchBackup(cli);
  const progress = createProgress(cli, "Copying");
  let total = 0;
  try {
    return await fillStore(store, response.chunks, {
      onHeader: (header) => (total = totalOf(header)),
      onProgress(done) {
        stopIfAsked(cli);
        assertHeld();
        progress.update(done, total);
      },
    });
  } finally {
    progress.end();
  }
}

/** Whether every partition has the version that it had before the copy. */
async function isUnchanged(cli: Cli, { header }: Filled): Promise<boolean> {
  const now = toSource(await getOne(cli, "/storage/info")).partitions;
  const versions = new Map(now.map((part) => [textOf(part, "name"), numberOf(part, "version")]));
  return (
    versions.size === header.partitions.length &&
    header.partitions.every(({ name, version }) => versions.get(name) === version)
  );
}

async function printResult(cli: Cli, { header, trailer, written }: Filled, label: string): Promise<void> {
  await cli.out.value({
    to: label,
    documents: trailer.count,
    partitions: header.partitions.length,
    written,
    same: true,
  });
  cli.out.info(
    `${trailer.count} documents are in ${label}; counts and checksums match. Rate limit counters were not moved.`,
  );
  cli.out.info("Next: set the new storage in the configuration and restart the servers.");
}
