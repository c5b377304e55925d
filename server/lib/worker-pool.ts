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
  run<R>(key: string, task: unknown, signal?: AbortSignal): Promise<R>;
  /** Tasks that wait for a thread. */
  queued(): number;
  /** Ends the threads after the tasks that were accepted. */
  close(): Promise<void>;
}

/** Idle threads end after this time and return their memory. */
const IDLE_MS = 30_000;

/**
 * Worker threads behind a fair queue. They start with the first task and keep no process alive. Each runs one task at a
 * time: ending a thread ends one task.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const queue = createFairQueue(options);
  let threads: ReturnType<typeof openThreads> | null = null;

  async function runInThread(task: unknown, addMs: (ms: number) => void) {
    const pool = await (threads ??= openThreads(options));
    const startedMs = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.deadlineMs);
    try {
      return await pool.run(task, { signal: deadline.signal });
    } catch (cause) {
      if (deadline.signal.aborted)
        throw tooComplex(`takes longer than ${options.deadlineMs / 1_000} seconds`, cause);
      if (isOutOfMemory(cause)) throw tooComplex(`needs more than ${options.memoryMb} MB of memory`, cause);
      throw cause;
    } finally {
      addMs(performance.now() - startedMs);
      clearTimeout(timer);
    }
  }

  return {
    run(key, task, signal) {
      const addMs = meterOfThread();
      return queue.run(key, () => runInThread(task, addMs), signal);
    },
    queued: () => queue.queued(),
    async close() {
      await queue.idle();
      const open = threads;
      threads = null;
      await (await open)?.destroy();
    },
  };
}

async function openThreads({ entry, memoryMb, running }: WorkerPoolOptions) {
  const { Tinypool } = await import("tinypool");
  const pool = new Tinypool({
    runtime: "worker_threads",
    filename: entry.href,
    minThreads: 0,
    maxThreads: running,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // A thread that fails without a task, as where its module cannot be loaded: its tasks end by their deadline.
  pool.on("error", (error: Error) => process.emitWarning(error));
  return pool;
}

const tooComplex = (reason: string, cause: unknown): Error =>
  fail("unprocessable_content", `Processing the request ${reason}. Shorten or simplify it.`, {
    code: "text_too_complex",
    cause,
  });

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
