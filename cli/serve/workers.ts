import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";

import type { LoadedConfig } from "../../server/config/load.ts";
import type { Cli } from "../command/command.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { start } from "./server.ts";
import { createExchange, createSiblings, serveMeasures } from "./worker-measures.ts";

const WORKERS_MAX = 64;

/** Number of processes of `--workers`: a number, or `auto` for one per core. */
export function workerCount(text: string | undefined): number {
  if (text === undefined) return 1;
  if (text === "auto") return Math.min(WORKERS_MAX, availableParallelism());
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= WORKERS_MAX) return count;
  throw usageError(`--workers ${text} is neither a number from 1 to ${WORKERS_MAX} nor "auto".`);
}

/** Sent to a worker by its parent before it serves. */
interface Welcome {
  /** The operator token of all workers. */
  readonly token: string;
  /** Port of all workers: with port 0 each would select its own. */
  readonly port: number;
  /** Number of the worker, from 1. */
  readonly number: number;
  readonly count: number;
}

/** Sent to a worker once the run file is written: it may answer requests. */
interface Admission {
  readonly admitted: true;
}

/** Messages of a worker: that it is listening to its parent, and later that its port is open. */
type WorkerMessage = { readonly hello: true } | Ready;
interface Ready {
  readonly url: string;
  readonly warnings: readonly string[];
}

/** True in a process that `serveWorkers` started. */
export const isWorker = (): boolean => cluster.isWorker;

/** Serves as one of several processes, until the parent asks it to end. */
export async function serveAsWorker(cli: Cli, loaded: LoadedConfig): Promise<number> {
  const answer = once(process, "message");
  const admission = defer<void>();
  process.on("message", (message: Welcome | Admission) => {
    if ("admitted" in message) admission.resolve();
  });
  process.send?.({ hello: true } satisfies WorkerMessage);
  const [welcome]: Welcome[] = await answer;
  if (welcome === undefined) throw new Error("The parent process sent no port.");
  const { token, port, number: self, count } = welcome;
  const config = { ...loaded.config, server: { ...loaded.config.server, port } };
  const registered = async (url: string, warnings: readonly string[]): Promise<void> => {
    process.send?.({ url, warnings } satisfies WorkerMessage);
    if (!cli.signal.aborted) await Promise.race([admission.promise, once(cli.signal, "abort")]);
  };
  const worker = { token, siblings: createSiblings({ self, count }), registered };
  const server = await start(cli, { loaded: { ...loaded, config }, dev: false, worker });
  const scrape = server.services.telemetry?.scrape ?? null;
  if (scrape !== null) serveMeasures(scrape);
  // The parent replaces a worker that exits.
  if (!cli.signal.aborted) await Promise.race([once(cli.signal, "abort"), server.adopted]);
  await server.stop("signal");
  // The channel to the parent would keep the process alive.
  cluster.worker?.disconnect();
  return EXIT.ok;
}

/** A worker that exits is replaced after a pause, which grows if the next ones exit as well. */
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 10_000;
/** Time after the drain in which a worker waits for mail servers (ten seconds), writes its counts and closes its store. */
const CLOSE_MS = 15_000;

/**
 * Runs `count` processes that share one port until a signal, and replaces those that exit. This process does not serve: it writes
 * the run file and forwards the signal. Returns the exit code of the first worker that could not start, else 0. A worker whose
 * parent is killed exits.
 */
export async function serveWorkers(cli: Cli, loaded: LoadedConfig, count: number): Promise<number> {
  const [{ makeKey }, { createSystemRandom }, { runFileOf, writeRunFile }, { lameDuckMs }] =
    await Promise.all([
      import("../../server/core/key-format.ts"),
      import("../../server/core/ids.ts"),
      import("../../server/serve/run-file.ts"),
      import("../../server/serve/lame-duck.ts"),
    ]);
  const token = makeKey("admin", createSystemRandom());
  const { server } = loaded.config;
  const { host, port } = server;
  const welcome = { token, port: port === 0 ? await findPort(host) : port };
  const pool = createWorkerPool(count, welcome, (text) => cli.out.info(text));
  const stop = (): void => pool.stop(lameDuckMs(server) + server.drainSeconds * 1000 + CLOSE_MS);
  cli.signal.addEventListener("abort", stop, { once: true });
  // A signal that came before is not announced any more.
  if (cli.signal.aborted) stop();
  try {
    const ready = await pool.ready;
    if (ready === null) return await pool.ended;
    const record = { pid: process.pid, url: ready.url, token };
    // A read-only folder does not prevent serving.
    const removeRunFile = await writeRunFile(runFileOf(loaded), record).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      cli.out.info(`warning: commands in this folder will not find the server: ${why}`);
      return async () => undefined;
    });
    pool.admit();
    for (const warning of ready.warnings) cli.out.info(`warning: ${warning}`);
    const { config, file } = loaded;
    const address = config.baseUrl ?? ready.url;
    cli.out.info(
      `Serving ${address} on ${ready.url} with ${count} workers, storage ${config.storage.driver}, config ${file ?? "none (defaults)"}`,
    );
    const code = await pool.ended;
    await removeRunFile();
    return code;
  } finally {
    cli.signal.removeEventListener("abort", stop);
  }
}

interface WorkerPool {
  /** Message of a worker once all have opened the port; null if one could not start. */
  readonly ready: Promise<Ready | null>;
  /** Lets all workers answer requests, replacements included. */
  admit(): void;
  /** Exit code, once every worker has ended. */
  readonly ended: Promise<number>;
  /** Sends SIGTERM to every worker, and SIGKILL after `timeoutMs`. */
  stop(timeoutMs: number): void;
}

function createWorkerPool(
  count: number,
  welcome: Pick<Welcome, "token" | "port">,
  print: (text: string) => void,
): WorkerPool {
  /** By number. A replacement takes the number of the worker that exited, so that metrics continue under it. */
  const running = new Map<number, Worker>();
  const exchange = createExchange(running);
  let serving = 0;
  let wasReady = false;
  let isAdmitted = false;
  let stopping = false;
  let exitCode: number = EXIT.ok;
  let pauseMs = PAUSE_MS;
  const ready = defer<Ready | null>();
  const ended = defer<number>();

  const start = (number: number): void => {
    if (stopping) return;
    const worker = cluster.fork();
    running.set(number, worker);
    worker.on("message", (message: WorkerMessage) => {
      if (exchange(worker, message)) return;
      if ("hello" in message) {
        worker.send({ ...welcome, number, count } satisfies Welcome);
        return;
      }
      serving += 1;
      pauseMs = PAUSE_MS;
      if (isAdmitted) worker.send({ admitted: true } satisfies Admission);
      if (serving !== count) return;
      wasReady = true;
      ready.resolve(message);
    });
    worker.once("exit", (code, signal) => {
      running.delete(number);
      reportExit(worker, code, signal);
      if (!stopping) replace(number, code);
      endIfEmpty();
    });
  };

  const reportExit = (worker: Worker, code: number | null, signal: string | null): void => {
    const how = signal === null ? `with code ${code ?? 0}` : `by ${signal}`;
    if (!stopping) print(`worker ${worker.process.pid ?? ""} exited ${how}`);
  };

  const replace = (number: number, code: number | null): void => {
    if (wasReady) {
      setTimeout(() => start(number), pauseMs);
      pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2);
      return;
    }
    // Another worker would fail for the same reason.
    exitCode = code ?? EXIT.bug;
    stop(CLOSE_MS);
  };

  const stop = (timeoutMs: number): void => {
    stopping = true;
    for (const worker of running.values()) worker.process.kill("SIGTERM");
    setTimeout(() => {
      for (const worker of running.values()) worker.process.kill("SIGKILL");
    }, timeoutMs).unref();
    endIfEmpty();
  };

  const admit = (): void => {
    isAdmitted = true;
    for (const worker of running.values()) worker.send({ admitted: true } satisfies Admission);
  };

  const endIfEmpty = (): void => {
    if (!stopping || running.size > 0) return;
    ready.resolve(null);
    ended.resolve(exitCode);
  };

  for (let index = 0; index < count; index += 1) start(index + 1);
  return { ready: ready.promise, ended: ended.promise, admit, stop };
}

async function findPort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function defer<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
