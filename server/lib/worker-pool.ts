import { meterOfThread } from "./cpu-meter.ts";
import { fail } from "./errors.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { FairQueueLimits } from "./fair-queue.ts";

export interface WorkerPoolOptions extends FairQueueLimits {
  /** Module whose default export runs a task: `(task) => result`. */
  readonly entry: URL;
  /** A task that takes longer is ended together with its thread. */
  readonly deadlineMs: number;
  /** Heap of a thread; a task that needs more ends its thread. */
  readonly memoryMb: number;
}

export interface WorkerPool {
  /** Runs a task in a thread. Throws 422 `text_too_complex` where it exceeds the time or the memory of a task. */
  run<R>(key: string, task: unknown, how?: RunOptions): Promise<R>;
  /** Tasks that wait for a thread. */
  queued(): number;
  /** Ends the threads after the tasks that were accepted. */
  close(): Promise<void>;
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** In a process instead of a thread: what the task takes of memory and of the threads of Node is not taken from this one. */
  readonly isApart?: boolean | undefined;
}

/** Idle threads end after this time and return their memory. */
const IDLE_MS = 30_000;

/**
 * Worker threads and processes behind a fair queue. They start with the first task and keep no process alive. Each runs one task at a
 * time: ending a thread ends one task.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const queue = createFairQueue(options);
  const open = new Map<Runtime, ReturnType<typeof openWorkers>>();

  async function runInWorker(runtime: Runtime, task: unknown, addMs: (ms: number) => void) {
    const opening = open.get(runtime) ?? openWorkers(runtime, options);
    open.set(runtime, opening);
    const pool = await opening;
    const startedMs = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.deadlineMs);
    try {
      return await pool.run(task, { signal: deadline.signal });
    } catch (cause) {
      if (deadline.signal.aborted)
        throw tooComplex(`takes longer than ${options.deadlineMs / 1_000} seconds`, cause);
      if (isOutOfMemory(cause)) throw tooComplex(`needs more than ${options.memoryMb} MB of memory`, cause);
      if (hasEnded(cause)) throw tooComplex("ended before it was complete", cause);
      throw cause;
    } finally {
      addMs(performance.now() - startedMs);
      clearTimeout(timer);
    }
  }

  return {
    run(key, task, { isApart = false, signal } = {}) {
      const addMs = meterOfThread();
      const runtime = isApart ? "child_process" : "worker_threads";
      return queue.run(key, () => runInWorker(runtime, task, addMs), signal);
    },
    queued: () => queue.queued(),
    async close() {
      await queue.idle();
      const all = [...open.values()];
      open.clear();
      for (const opening of all) await (await opening).destroy();
    },
  };
}

type Runtime = "worker_threads" | "child_process";

async function openWorkers(runtime: Runtime, { entry, memoryMb, running }: WorkerPoolOptions) {
  const { Tinypool } = await import("tinypool");
  const { LD_LIBRARY_PATH: folders } = process.env;
  const pool = new Tinypool({
    runtime,
    // As between threads: bytes and dates stay what they are.
    serialization: "advanced",
    filename: entry.href,
    minThreads: 0,
    maxThreads: running,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // A process has nothing else of the environment, which contains secrets: without it, a library of the system may not be found.
    ...(runtime === "child_process" && folders !== undefined && { env: { LD_LIBRARY_PATH: folders } }),
  });
  // A thread that fails without a task, as where its module cannot be loaded: its tasks end by their deadline.
  pool.on("error", (error: Error) => {
    if (!hasEnded(error)) process.emitWarning(error);
  });
  return pool;
}

const tooComplex = (reason: string, cause: unknown): Error =>
  fail("unprocessable_content", `Processing the request ${reason}. Shorten or simplify it.`, {
    code: "text_too_complex",
    cause,
  });

/** A process that the system ended, mostly for the memory that it took. */
const hasEnded = (error: unknown): boolean =>
  error instanceof Error && error.message === "Worker exited unexpectedly";

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
