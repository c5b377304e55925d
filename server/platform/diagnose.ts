import { access, statfs } from "node:fs/promises";
import { join } from "node:path";

import type { Deps } from "../deps.ts";
import { fromInstant } from "../kernel/clock.ts";
import { findPackageRoot } from "../mail/package-root.ts";
import { openTransport } from "../mail/transports/open.ts";
import { describeLimits, describeStore } from "../storage/describe.ts";
import { diagnoseStorage } from "../storage/diagnose.ts";
import { findFreeze } from "../storage/freeze.ts";
import { liveNodes } from "../storage/nodes.ts";
import { tryStore } from "../storage/provision.ts";
import { auditEntries } from "./audit.ts";
import { isSafeForSessions } from "./console/session.ts";
import { PLATFORM_PART } from "./collections.ts";
import { pingWithin } from "./pages/health.ts";

export interface Check {
  readonly id: string;
  /** `fail`: something does not work. `warn`: it works, and a person should decide whether that is meant. */
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
}

const TIMEOUT_MS = 5_000;

/** Looks at everything that the service stands on; a check that breaks is a check that failed. */
export async function diagnose(deps: Deps): Promise<Check[]> {
  const checks: readonly [id: string, check: (deps: Deps) => Promise<Omit<Check, "id">>][] = [
    ["service.node", checkNode],
    ["config.origins", checkOrigins],
    ["config.secrets", checkSecrets],
    ["storage.ping", checkPing],
    ["storage.round-trip", checkRoundTrip],
    ["storage.disk", checkDisk],
    ["storage.driver", checkDriver],
    ["storage.writable", checkFrozen],
    ["storage.nodes", checkNodes],
    ["clock", checkClock],
    ["mail.transport", checkTransport],
    ["mail.backlog", checkBacklog],
    ["base-url", checkBaseUrl],
    ["console", checkConsole],
    ["docs.assets", checkAssets],
  ];
  const found = await Promise.all(
    checks.map(async ([id, check]) => ({ id, ...(await check(deps).catch(broken)) })),
  );
  return [...found, ...(await checkBeneath(deps))];
}

type Finding = Omit<Check, "id">;

const fine = (detail: string): Finding => ({ status: "ok", detail });
const broken = (error: unknown): Finding => ({ status: "fail", detail: messageOf(error) });
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The console itself refuses what is told here. */
async function checkConsole({ config }: Deps): Promise<Finding> {
  if (!config.admin.ui) return fine("switched off");
  if (isSafeForSessions(config.baseUrl)) return fine("served at /_, behind a login link");
  return {
    status: "warn",
    detail: `${config.baseUrl} is not https, so the console stays closed: a session would travel in the clear.`,
    fix: "Put a TLS proxy before the server and set baseUrl, or set admin.ui to false.",
  };
}

async function checkNode({ lifecycle, clock }: Deps): Promise<Finding> {
  const minutes = Math.floor((clock.now() - lifecycle.startedAtMs) / 60_000);
  const where = lifecycle.url === null ? "no server: this command opened the data" : `up for ${minutes} min`;
  return fine(`Node ${process.versions.node}, ${where}`);
}

async function checkOrigins({ loaded }: Deps): Promise<Finding> {
  if (loaded === null) return fine("made by a program");
  if (loaded.warnings.length > 0) {
    return { status: "warn", detail: loaded.warnings.join(" "), fix: "platform config show --origin" };
  }
  const written = Object.values(loaded.origins).filter((origin) => origin !== "default").length;
  return fine(`${loaded.file ?? "no file"}, ${written} settings that are no defaults`);
}

/** A secret belongs in the environment or in a file of its own, not beside the settings that everybody may read. */
async function checkSecrets({ loaded }: Deps): Promise<Finding> {
  const inFile = (loaded?.secrets ?? []).filter((path) => loaded?.origins[path] === fileName(loaded?.file));
  if (inFile.length === 0) return fine("no secret is written into the configuration file");
  return {
    status: "warn",
    detail: `written into the configuration file: ${inFile.join(", ")}`,
    fix: 'Write secret("NAME") there, and the value into the environment or the file that NAME_FILE names.',
  };
}

const fileName = (file: string | null | undefined): string | undefined => file?.split(/[/\\]/).at(-1);

async function checkPing({ store }: Deps): Promise<Finding> {
  const reason = await pingWithin(store, TIMEOUT_MS);
  if (reason === null) return fine(`${store.name ?? "storage"} takes writes`);
  const fix = "platform storage verify; look at the log and the disk";
  return { status: "fail", detail: messageOf(reason), fix };
}

/** Also where writes are refused just now: those of the store about itself are not. */
async function checkRoundTrip({ store, newId }: Deps): Promise<Finding> {
  await tryStore(store, newId("probe"));
  return fine("written, read, refused on a wrong version, deleted");
}

/** Which driver, for how many processes, and what that means for rate limits. */
async function checkDriver({ config, store }: Deps): Promise<Finding> {
  const nodes = store.caps.nodes === "many" ? "any number of nodes" : "one process";
  const limits = describeLimits(config.storage, config.limits.url);
  const detail = `${store.name ?? "storage"} (${describeStore(config.storage)}), for ${nodes}; rate limits are counted ${limits}`;
  if (config.storage.driver === "memory")
    return { status: "warn", detail, fix: "Set storage.driver: memory keeps nothing." };
  if (config.storage.driver !== "s3" || config.limits.url !== undefined) return fine(detail);
  return { status: "warn", detail, fix: "Before a second node is started: set limits.url to a Redis." };
}

async function checkFrozen({ store, clock }: Deps): Promise<Finding> {
  const frozen = await findFreeze(store, clock.now());
  if (frozen === null) return fine("not frozen");
  return { status: "fail", detail: `takes no writes: ${frozen.reason}`, fix: "platform storage thaw" };
}

/** Who serves this store, as far as they say so: on a folder it is one process at most, and its lock says which. */
async function checkNodes({ config, store, clock }: Deps): Promise<Finding> {
  const { driver } = config.storage;
  if (driver === "fs" || driver === "memory") return fine("one process at most");
  const nodes = await liveNodes(store, clock.now());
  const detail = `${nodes.length} serving: ${nodes.map(({ host, pid }) => `${host} (process ${pid})`).join(", ") || "none"}`;
  if (nodes.length <= 1 || driver === "redis" || config.limits.url !== undefined) return fine(detail);
  return {
    status: "fail",
    detail: `${detail}; each counts rate limits by itself`,
    fix: "Set limits.url to a Redis.",
  };
}

/** The servers under the driver. One that does not answer is a finding, not a failure of the whole. */
async function checkBeneath({ config, clock }: Deps): Promise<Check[]> {
  try {
    const asked = diagnoseStorage(config.storage, { clock, limitsUrl: config.limits.url });
    return await within(TIMEOUT_MS, asked);
  } catch (error) {
    return [{ id: `storage.${config.storage.driver}`, ...broken(error) }];
  }
}

const LOW_BYTES = 1_073_741_824;
const VERY_LOW_BYTES = 104_857_600;

async function checkDisk({ config }: Deps): Promise<Finding> {
  if (config.storage.driver !== "fs") return fine("nothing is kept on disk");
  const { bavail, bsize } = await statfs(config.storage.base);
  const free = bavail * bsize;
  const detail = `${(free / LOW_BYTES).toFixed(1)} GiB free in ${config.storage.base}`;
  if (free >= LOW_BYTES) return fine(detail);
  return {
    status: free < VERY_LOW_BYTES ? "fail" : "warn",
    detail,
    fix: "Make room before writes are refused.",
  };
}

/** When this was written; a clock that shows less was never set. */
const EPOCH = Date.parse("2026-01-01T00:00:00.000Z");
const SKEW_MS = 60_000;

async function checkClock({ clock, runTx }: Deps): Promise<Finding> {
  const now = clock.now();
  const fix = "Set the clock of this machine (timedatectl, ntpd, chronyd).";
  if (now < EPOCH) return { status: "fail", detail: "the clock was never set", fix };
  const newest = await runTx(PLATFORM_PART, (tx) => tx.page(auditEntries, { limit: 1 }));
  const last = newest.items[0]?.value.created_at;
  if (last !== undefined && fromInstant(last) > now + SKEW_MS) {
    return { status: "warn", detail: `the clock is behind the latest record, of ${last}`, fix };
  }
  return fine("set, and not behind the latest record");
}

async function checkTransport({ config, lifecycle }: Deps): Promise<Finding> {
  const { transport } = config.mail;
  if (transport !== "smtp") {
    const detail = `${transport}: no mail leaves this machine`;
    const fix = "Set mail.transport to smtp, with mail.smtp.url.";
    return lifecycle.dev ? fine(detail) : { status: "warn", detail, fix };
  }
  const probe = openTransport(config.mail, () => undefined);
  try {
    await within(TIMEOUT_MS, probe.verify?.() ?? Promise.resolve());
    return fine("smtp: the mail server takes our credentials");
  } catch (error) {
    const fix = "Check mail.smtp. Many hosts block port 25 and 465: try 587.";
    return { status: "fail", detail: `smtp: ${messageOf(error)}`, fix };
  }
}

const PATIENCE_MS = 600_000;

async function checkBacklog({ mail, clock }: Deps): Promise<Finding> {
  const { waiting, oldest_created_at, last_error } = await mail.backlog();
  const isOld = oldest_created_at !== null && clock.now() - fromInstant(oldest_created_at) > PATIENCE_MS;
  const detail = `${waiting} waiting${last_error === null ? "" : `; last error: ${last_error}`}`;
  return isOld
    ? { status: "warn", detail, fix: "platform mail list; platform mail send-test" }
    : fine(detail);
}

/** The links of mails begin with the base URL: it must lead here, and not in the clear across a network. */
async function checkBaseUrl({ config, lifecycle }: Deps): Promise<Finding> {
  const { protocol, hostname } = new URL(config.baseUrl);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
  if (protocol === "http:" && !isLocal) {
    const fix = "Put TLS in front (a proxy, or server.https) and write https:// in baseUrl.";
    return { status: "warn", detail: `${config.baseUrl}: keys cross the network in the clear`, fix };
  }
  if (lifecycle.url === null) return fine(`${config.baseUrl}; not tried, no server runs`);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${config.baseUrl}/healthz`, { signal, redirect: "manual" });
    await response.body?.cancel();
    if (response.headers.get("x-request-id")?.startsWith("req_") === true) return fine(config.baseUrl);
    return { status: "warn", detail: `${config.baseUrl} answers, but it is not this service` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const detail = `${config.baseUrl} cannot be reached from here: ${messageOf(cause)}`;
    return {
      status: "warn",
      detail,
      fix: "Links in mails begin with baseUrl: open it where your customers are.",
    };
  }
}

async function checkAssets(): Promise<Finding> {
  try {
    await access(join(findPackageRoot(), "dist", "assets", "rapidoc-min.js"));
    return fine("the reference at /docs is complete");
  } catch {
    return { status: "fail", detail: "the files of /docs are missing", fix: "npm run build" };
  }
}

async function within<R>(ms: number, work: Promise<R>): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
