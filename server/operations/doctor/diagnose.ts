import { access, statfs } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { Deps } from "../deps.ts";
import { fromInstant } from "../../lib/instant.ts";
import { settingsOf } from "../../config/packages.ts";
import { describeMissing, findMissing } from "../../core/optional-packages.ts";
import { findPackageRoot } from "../../core/package-root.ts";
import { readEach } from "../../core/read-page.ts";
import { describeLimits, describeStore } from "../../storage/describe.ts";
import { diagnoseStorage } from "../../storage/diagnose.ts";
import { findFreeze } from "../../storage/freeze.ts";
import { liveNodes } from "../../storage/nodes.ts";
import { tryStore } from "../../storage/provision.ts";
import { auditEntries } from "../../accounts/audit.ts";
import { customers } from "../../accounts/collections.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import { checkBaseUrl, checkCertificate, checkConsole, checkProxies } from "./diagnose-address.ts";
import { checkContents, checkFiles } from "./diagnose-files.ts";
import { checkBacklog, checkTransport } from "./diagnose-mail.ts";
import { broken, failed, Finding, fine, messageOf, TIMEOUT_MS, warn, within } from "./finding.ts";
import { checkBackup } from "../backups.ts";
import { pingWithin } from "../health.ts";

export const Check = z.strictObject({ id: z.string(), ...Finding.shape });
export type Check = z.output<typeof Check>;

/** Checks everything that the service depends on; a check that breaks is a check that failed. */
export async function diagnose(deps: Deps): Promise<Check[]> {
  const checks: readonly [id: string, check: (deps: Deps) => Promise<Finding>][] = [
    ["service.node", checkNode],
    ["config.origins", checkOrigins],
    ["config.secrets", checkSecrets],
    ["config.plans", checkPlans],
    ...PACKAGES,
    ["storage.ping", checkPing],
    ["storage.round-trip", checkRoundTrip],
    ["storage.disk", checkDisk],
    ["storage.backup", checkBackup],
    ["storage.driver", checkDriver],
    ["storage.writable", checkFrozen],
    ["storage.nodes", checkNodes],
    ["files.store", checkFiles],
    ["files.contents", checkContents],
    ["clock", checkClock],
    ["mail.transport", checkTransport],
    ["mail.backlog", checkBacklog],
    ["base-url", checkBaseUrl],
    ["base-url.certificate", checkCertificate],
    ["proxies", checkProxies],
    ["console", checkConsole],
    ["docs.assets", checkAssets],
  ];
  const found = await Promise.all(
    checks.map(async ([id, check]) => ({ id, ...(await check(deps).catch(broken)) })),
  );
  return [...found, ...(await checkBeneath(deps))];
}

async function checkNode({ lifecycle, clock }: Deps): Promise<Finding> {
  const minutes = Math.floor((clock.now() - lifecycle.startedAtMs) / 60_000);
  const where =
    lifecycle.url === null ? "no server: this command opened the data directly" : `up for ${minutes} min`;
  return fine(`Node ${process.versions.node}, ${where}`);
}

/** Features that need packages of their own. What nothing asks for may be missing. */
const PACKAGES = (["pictures", "texts", "metrics", "traces", "layouts"] as const).map(
  (feature): [string, (deps: Deps) => Promise<Finding>] => [
    `packages.${feature}`,
    async ({ config }) => {
      const missing = findMissing(feature);
      if (missing === null) return fine("installed");
      const detail = describeMissing(missing);
      if (feature === "pictures") return warn(detail, missing.install);
      const isAsked = settingsOf(config).some((one) => one.feature === feature && one.isSet);
      return isAsked ? failed(detail, missing.install) : fine(`not in use. ${detail}`);
    },
  ],
);

async function checkOrigins({ loaded }: Deps): Promise<Finding> {
  if (loaded === null) return fine("set by a program");
  if (loaded.warnings.length > 0) {
    return { status: "warn", detail: loaded.warnings.join(" "), fix: "platform config show --origin" };
  }
  const written = Object.values(loaded.origins).filter((origin) => origin !== "default").length;
  return fine(`${loaded.file ?? "no file"}, ${written} settings differ from the defaults`);
}

/** A secret belongs in the environment or in a file of its own, not next to settings that everyone may read. */
async function checkSecrets({ loaded }: Deps): Promise<Finding> {
  const inFile = (loaded?.secrets ?? []).filter((path) => loaded?.origins[path] === fileName(loaded?.file));
  if (inFile.length === 0) return fine("the configuration file contains no secrets");
  return warn(
    `secrets in the configuration file: ${inFile.join(", ")}`,
    'Replace the value with secret("NAME"), and set the variable NAME, or NAME_FILE to the path of a file.',
  );
}

/** A plan that was renamed or removed leaves its customers with the limits of Free. */
export async function checkPlans({ config, runTx }: Pick<Deps, "config" | "runTx">): Promise<Finding> {
  const known = new Set(config.plans.map(({ id }) => id));
  const missing = await runTx(PLATFORM_PART, async (tx) => {
    const counts = new Map<string, { readonly count: number; readonly id: string }>();
    const all = readEach(tx.part, customers, {}, (from, page) => tx.peekPage(from, page));
    for await (const { id, value } of all) {
      if (value.status === "closed" || known.has(value.plan)) continue;
      counts.set(value.plan, { count: (counts.get(value.plan)?.count ?? 0) + 1, id });
    }
    return [...counts];
  });
  if (missing.length === 0) return fine([...known].join(", "));
  const which = missing.map(([plan, { count, id }]) => `${plan} (${count}, such as ${id})`).join(", ");
  return warn(
    `customers with plans that the configuration does not contain: ${which}. The limits of free apply to them.`,
    "Add these plans to `plans` again, or platform plans assign cus_… <plan>.",
  );
}

const fileName = (file: string | null | undefined): string | undefined => file?.split(/[/\\]/).at(-1);

async function checkPing({ store }: Deps): Promise<Finding> {
  const reason = await pingWithin(store, TIMEOUT_MS);
  if (reason === null) return fine(`${store.name ?? "storage"} is writable`);
  const fix = "Run platform storage verify, and check the log and the disk.";
  return failed(messageOf(reason), fix);
}

/** Also where writes are refused just now: those of the store about itself are not. */
async function checkRoundTrip({ store, newId }: Deps): Promise<Finding> {
  await tryStore(store, newId("probe"));
  return fine("write, read, version check and delete succeeded");
}

/** Which driver, for how many processes, and what that means for rate limits. */
async function checkDriver({ config, store }: Deps): Promise<Finding> {
  const nodes = store.caps.nodes === "many" ? "any number of nodes" : "one process";
  const limits = describeLimits(config.storage, config.limits.url);
  const detail = `${store.name ?? "storage"} (${describeStore(config.storage)}), for ${nodes}; rate limits are counted ${limits}`;
  if (config.storage.driver === "memory")
    return warn(detail, "Set storage.driver: memory loses all data on restart.");
  if (config.storage.driver !== "s3" || config.limits.url !== undefined) return fine(detail);
  return warn(detail, "Set limits.url to a Redis before you start a second node.");
}

async function checkFrozen({ store, clock }: Deps): Promise<Finding> {
  const frozen = await findFreeze(store, clock.now());
  if (frozen === null) return fine("not frozen");
  return failed(`writes are frozen: ${frozen.reason}`, "platform storage thaw");
}

/** Who serves this store, as far as they say so: on a folder it is one process at most, and its lock says which. */
async function checkNodes({ config, store, clock }: Deps): Promise<Finding> {
  const { driver } = config.storage;
  if (driver === "fs" || driver === "memory") return fine("one process at most");
  const nodes = await liveNodes(store, clock.now());
  const detail = `${nodes.length} running: ${nodes.map(({ host, pid }) => `${host} (process ${pid})`).join(", ") || "none"}`;
  if (nodes.length <= 1 || driver === "redis" || config.limits.url !== undefined) return fine(detail);
  return failed(`${detail}; each node counts rate limits separately`, "Set limits.url to a Redis.");
}

/** The servers under the driver. One that does not answer is a finding, not a failure of the whole. */
async function checkBeneath({ config, clock }: Deps): Promise<Check[]> {
  try {
    const asked = diagnoseStorage(config.storage, { clock, limitsUrl: config.limits.url });
    return await within(TIMEOUT_MS, asked);
  } catch (error) {
    const fix = "Check that it is running and reachable. platform config show --origin prints its address.";
    return [{ id: `storage.${config.storage.driver}`, ...broken(error), fix }];
  }
}

const LOW_BYTES = 1_073_741_824;
const VERY_LOW_BYTES = 104_857_600;
const MIB = 1_048_576;

/** By the numbers of statfs(2). */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
]);

async function checkDisk({ config }: Deps): Promise<Finding> {
  if (config.storage.driver !== "fs") return fine("no data on disk");
  const { base } = config.storage;
  const { bavail, bsize, type } = await statfs(base);
  const free = bavail * bsize;
  const detail =
    free < LOW_BYTES
      ? `${Math.floor(free / MIB)} MiB free in ${base}`
      : `${(free / LOW_BYTES).toFixed(1)} GiB free in ${base}`;
  if (free < LOW_BYTES) {
    const fix = "Free disk space before writes are rejected.";
    return { status: free < VERY_LOW_BYTES ? "fail" : "warn", detail, fix };
  }
  const network = NETWORK_FILE_SYSTEMS.get(type);
  if (network === undefined) return fine(detail);
  return warn(
    `${detail}, on ${network}: durability and locking depend on that file server`,
    "Set storage.base to a local disk, or set storage.driver to redis or s3.",
  );
}

/** When this was written; a clock that shows less was never set. */
const EPOCH = Date.parse("2026-01-01T00:00:00.000Z");
const SKEW_MS = 60_000;
/** Holds, links and keys live for longer. */
const MOST_SKEW_MS = 300_000;

async function checkClock({ clock, runTx }: Deps): Promise<Finding> {
  const now = clock.now();
  const fix = "Set the clock of this machine (timedatectl, ntpd, chronyd).";
  if (now < EPOCH) return failed("the clock is not set", fix);
  const newest = await runTx(PLATFORM_PART, (tx) => tx.peekPage(auditEntries, { limit: 1 }));
  const last = newest.items[0]?.value.created_at;
  const behindMs = last === undefined ? 0 : fromInstant(last) - now;
  if (behindMs > SKEW_MS) {
    const status = behindMs > MOST_SKEW_MS ? "fail" : "warn";
    return { status, detail: `the clock is behind the latest record (${last})`, fix };
  }
  return fine("set and not behind the latest record");
}

async function checkAssets(): Promise<Finding> {
  try {
    await access(join(findPackageRoot(), "dist", "assets", "rapidoc-min.js"));
    return fine("the files of /docs are complete");
  } catch {
    return failed("the files of /docs are missing", "npm run build");
  }
}
