import type { RequestListener, Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { createApp } from "./app.ts";
import { addressOf } from "./config/load.ts";
import type { LoadedConfig } from "./config/load.ts";
import { checkPackages, warningsOfPictures } from "./config/packages.ts";
import { checkServable } from "./config/servable.ts";
import { systemClock } from "./core/clock.ts";
import type { Clock } from "./core/clock.ts";
import { createNewId, createSystemRandom } from "./core/ids.ts";
import type { Random } from "./core/ids.ts";
import { createLog } from "./observability/log.ts";
import type { ServerLog } from "./observability/log.ts";
import type { Siblings } from "./observability/siblings.ts";
import { makeKey } from "./core/key-format.ts";
import { defer } from "./serve/defer.ts";
import { demandKnownStore } from "./serve/known-store.ts";
import { lameDuckMs } from "./serve/lame-duck.ts";
import { createNodeHandler } from "./serve/adapter.ts";
import type { BelowDeps } from "./serve/below.ts";
import { prepareTls } from "./serve/certificate.ts";
import { answerBrokenRequests, createFloodCheck } from "./serve/broken.ts";
import { createNetworkOf, limitCrowds } from "./serve/crowd.ts";
import { isLoopback, listenOn } from "./serve/listen.ts";
import type { DevAddress, Listening } from "./serve/listen.ts";
import { joinStore } from "./serve/membership.ts";
import { guardProcess } from "./serve/process.ts";
import { localFolder, runFileOf, writeRunFile } from "./serve/run-file.ts";
import type { RunRecord } from "./serve/run-file.ts";
import { watchTraffic } from "./serve/traffic.ts";
import type { Traffic } from "./serve/traffic.ts";
import { createServices } from "./services.ts";
import type { Services } from "./services.ts";
import type { StoreDriver } from "./storage/contract.ts";
import { checkFileStore } from "./storage/files/open.ts";
import { findFreeze } from "./storage/freeze.ts";
import { openStore } from "./storage/open.ts";

export interface ServeOptions {
  readonly loaded: LoadedConfig;
  /** `platform dev`: no setting is required, the next free port will do, jobs and seeds accept a time. */
  readonly dev?: boolean;
  /** `address` of the result is used: listhen, which prints and opens it, is loaded. */
  readonly showsAddress?: boolean;
  readonly clock?: Clock;
  readonly log?: ServerLog;
  /** An open store instead of the configured one; closed at the end like it. */
  readonly store?: StoreDriver;
  /** This process is nothing but the server: an unexpected error is logged and ends it. */
  readonly ownsProcess?: boolean;
  /** Options of one of several workers of this machine. Their parent keeps the run file. */
  readonly worker?: WorkerRole;
  /** Started to find out whether it would serve: no work is begun, and the run file of the server of this folder is left as it is. */
  readonly isCheck?: boolean;
}

export interface WorkerRole {
  /** The operator token that all of them take. */
  readonly token: string;
  readonly siblings: Siblings;
  /** Resolves when the parent has written the run file: until then no request is answered. */
  readonly registered: (url: string, warnings: readonly string[]) => Promise<void>;
}

export interface RunningServer {
  /** Where this machine reaches the server. */
  readonly url: string;
  /** Prints and opens that address; null unless `showsAddress` was set. */
  readonly address: DevAddress | null;
  readonly services: Services;
  /** Operator token of this very process. */
  readonly adminToken: string;
  readonly runFile: string;
  /** What a person who starts a server should know: another port, a transport that sends no mail. */
  readonly warnings: readonly string[];
  readonly log: ServerLog;
  /**
   * Ends the server in order: after the reason `signal` not ready while `server.lameDuckSeconds` pass; then no new connections, streams
   * and jobs ended, running requests answered, idle connections closed after `server.lameDuckSeconds` more, counts and mail flushed,
   * store closed. Takes at most `server.drainSeconds` for the requests. Calling it again waits for the same end.
   */
  stop(reason: string): Promise<void>;
  /** Resolves when the store was replaced and an operator accepted that: stop this server and start another. */
  readonly adopted: Promise<void>;
  /** Resolves when the server has ended. */
  readonly closed: Promise<void>;
}

/**
 * Serves one configuration: opens the store, listens, starts jobs and mail, leaves a run file for local commands.
 * Throws ConfigError (a setting that `serve` demands), StoreError (LOCKED: another process has the data) or ServeError
 * (the address cannot be had); nothing is left open then.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { loaded, dev = false, showsAddress = false, clock = systemClock } = options;
  const { config } = loaded;
  const warnings = [...loaded.warnings, ...(dev ? [] : checkServable(loaded)), ...warningsOfPictures()];
  checkPackages(loaded);
  const log = options.log ?? createLog({ ...config.log, color: process.stderr.isTTY });
  const adoption = defer();
  const store =
    options.store ??
    (await openStore(config.storage, { clock, limitsUrl: config.limits.url, onAdopted: adoption.resolve }));
  const undo: (() => unknown)[] = [() => store.close()];
  const { worker = null, isCheck = false } = options;
  try {
    if (options.ownsProcess === true) undo.push(guardProcess(log));
    await demandKnownStore(loaded, store, dev);
    const adopted = adoption.promise;
    const base = { loaded, dev, showsAddress, clock, log, store, warnings, undo, worker, isCheck, adopted };
    return await serveStore(base);
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

interface Base {
  readonly loaded: LoadedConfig;
  readonly dev: boolean;
  readonly showsAddress: boolean;
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly store: StoreDriver;
  readonly warnings: string[];
  readonly worker: WorkerRole | null;
  readonly isCheck: boolean;
  readonly adopted: Promise<void>;
  /** What to take back, last first, when a later step fails. */
  readonly undo: (() => unknown)[];
}

async function serveStore(base: Base): Promise<RunningServer> {
  const { loaded, clock, log, undo, warnings } = base;
  const random = createSystemRandom();
  const node = createNewId(clock, random)("node");
  const joined = await joinStore(base, node);
  const { leave } = joined;
  warnings.push(...joined.warnings);
  undo.push(leave);
  const door = await openDoor(base, random);
  undo.push(() => door.close());
  const { host, port: wanted, https } = loaded.config.server;
  if (wanted !== 0 && door.port !== wanted)
    warnings.push(`Port ${wanted} is in use, listening on port ${door.port} instead.`);
  const frozen = await findFreeze(base.store, clock.now());
  if (frozen !== null) warnings.push(`The storage is read-only: ${frozen.reason}.`);
  const url = addressOf({ host, port: door.port, https });

  const adminToken = base.worker?.token ?? makeKey("admin", random);
  const services = await createServices({
    config: { ...loaded.config, baseUrl: loaded.config.baseUrl ?? url },
    store: base.store,
    clock,
    random,
    log,
    adminTokens: [
      adminToken,
      ...(loaded.config.admin.token === undefined ? [] : [loaded.config.admin.token]),
    ],
    dev: base.dev,
    loaded,
    siblings: base.worker?.siblings ?? null,
    node,
  });
  services.lifecycle.url = url;
  const runFile = runFileOf(loaded);
  undo.push(() => services.close());
  if (services.ports.files !== undefined) await checkFileStore(services.ports.files, node);
  const removeRunFile =
    base.worker === null
      ? await keepRunFile(base, runFile, { pid: process.pid, url, token: adminToken })
      : await base.worker.registered(url, warnings).then(() => doNothing);
  await services.nodes.start();
  // A caller that sees this node ready finds its address and token as well.
  door.admit(services);
  if (!base.isCheck) {
    services.mail.start();
    services.jobs.start();
    services.webhooks.start();
  }
  log.info({ url, storage: loaded.config.storage.driver, node: process.version }, "listening");

  const stop = createStop({ ...base, services, traffic: door.traffic, removeRunFile, leave });
  const { address } = door;
  return { url, address, services, adminToken, runFile, warnings, log, adopted: base.adopted, ...stop };
}

/** A folder that cannot be written to is no reason not to serve a store elsewhere. */
async function keepRunFile(
  { loaded, warnings, isCheck }: Base,
  file: string,
  record: RunRecord,
): Promise<() => Promise<void>> {
  if (isCheck) return doNothing;
  try {
    return await writeRunFile(file, record);
  } catch (error) {
    if (loaded.config.storage.driver === "fs") throw error;
    const why = error instanceof Error ? error.message : String(error);
    warnings.push(`Commands run in this folder will not find the server: ${why}.`);
    return doNothing;
  }
}

const doNothing = async (): Promise<void> => undefined;

interface Door {
  readonly port: number;
  readonly address: DevAddress | null;
  readonly traffic: Traffic;
  /** Listens no more and cuts what is connected: a start that failed must not keep the process alive. */
  close(): void;
  /** Passes requests to the application; those that came before wait for it. */
  admit(services: Services): void;
}

/** Requests that wait until the application is built; the connections of others are cut. */
const EARLY_MAX = 1_000;

/** Listens before the application is built, because its base URL may be the address that was bound. */
async function openDoor(base: Base, random: Random): Promise<Door> {
  const { loaded, dev, showsAddress, clock, log } = base;
  const { server: settings, baseUrl } = loaded.config;
  const networkOf = createNetworkOf(settings.trustedProxies);
  const below: BelowDeps = {
    newId: createNewId(clock, random),
    clock,
    log,
    baseUrl: baseUrl ?? "",
    isFlood: createFloodCheck(networkOf, clock),
  };
  // A proxy without health checks sends requests as soon as the port is open: a moment later each gets its answer.
  const early: Parameters<RequestListener>[] = [];
  let handler: RequestListener = (req, res) => {
    if (early.length < EARLY_MAX) early.push([req, res]);
    else req.socket.destroy();
  };
  const hosts = [isLoopback(settings.host) ? "localhost" : settings.host];
  const tls = await prepareTls(settings.https, { folder: localFolder(loaded), hosts, clock });
  const { address, server, port }: Listening = await listenOn((req, res) => handler(req, res), {
    host: settings.host,
    port: settings.port,
    mayMove: dev,
    showsAddress,
    tls,
    limits: {
      headersTimeoutMs: settings.headersTimeoutSeconds * 1000,
      requestTimeoutMs: settings.requestTimeoutSeconds * 1000,
      keepAliveMs: settings.keepAliveSeconds * 1000,
    },
  });
  const traffic = watchTraffic(server);
  limitCrowds(server, networkOf);
  answerBrokenRequests({ server, traffic }, below);
  cutIdleReaders(server, traffic, settings.requestTimeoutSeconds * 1000);
  return {
    port,
    address,
    traffic,
    close() {
      server.close();
      traffic.cut();
    },
    admit(services) {
      handler = createNodeHandler(
        createApp(services),
        { ...below, baseUrl: services.config.baseUrl },
        traffic,
      );
      for (const exchange of early.splice(0)) handler(...exchange);
    },
  };
}

/**
 * Cuts a connection whose client takes nothing of its answer for as long as it may take to send a request: Node itself
 * waits for ever. Where nothing waits to be taken, the answer is still being made, or the connection is between two
 * requests and its time is over.
 */
function cutIdleReaders(server: Server, traffic: Traffic, stallMs: number): void {
  server.setTimeout(stallMs, (socket) => {
    if (socket.writableLength > 0 || traffic.answerOn(socket) === undefined) socket.destroy();
  });
}

function createStop(
  parts: Base & {
    services: Services;
    traffic: Traffic;
    removeRunFile: () => Promise<void>;
    leave: () => Promise<void>;
  },
): Pick<RunningServer, "stop" | "closed"> {
  const { services, traffic, log, loaded } = parts;
  let resolveClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  let ending: Promise<void> | undefined;

  async function end(reason: string): Promise<void> {
    log.info({ reason, active: traffic.active() }, "draining");
    services.lifecycle.draining = true;
    const graceMs = loaded.config.server.drainSeconds * 1000;
    const jobs = Promise.all([services.jobs.stop({ graceMs }), services.webhooks.stop({ graceMs })]);
    const lameMs = reason === "signal" && !parts.dev ? lameDuckMs(loaded.config.server) : 0;
    if (lameMs > 0) await sleep(lameMs);
    await parts.removeRunFile();
    services.nodes.endTails();
    // As long again: a proxy that does not read /readyz closes the connections that it keeps before the server does.
    const cut = await traffic.drain(graceMs, lameMs);
    if (cut > 0) log.warn({ requests: cut }, "requests aborted at the end of the drain");
    await jobs;
    await parts.leave();
    await services.close();
    log.info({ reason }, "stopped");
    log.flush();
  }
  return {
    closed,
    stop(reason) {
      ending ??= end(reason).finally(() => resolveClosed());
      return ending;
    },
  };
}
