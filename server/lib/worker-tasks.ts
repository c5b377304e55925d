import { availableParallelism } from "node:os";

import { Problem } from "./errors.ts";
import type { ErrorType, ProblemOptions } from "./errors.ts";
import { createWorkerPool } from "./worker-pool.ts";
import type { WorkerPool } from "./worker-pool.ts";

/** Work on text from outside: a pure function whose input and result can be copied between threads. */
export interface WorkerTaskDefinition<I, O> {
  /** `<module>.<task>`; `server/worker.ts` lists the modules. */
  readonly id: string;
  /** `import.meta.url` of the module that declares the task, outside of the platform: threads load it. */
  readonly module?: string;
  /** Characters to process. */
  size(input: I): number;
  /** It runs in a process instead of a thread: for libraries that take much memory, or the threads with which Node reads and writes files. */
  readonly isApart?: boolean;
  run(input: I): O | Promise<O>;
}

/** For whom a task runs: a partition, or a transaction on one, which may know its customer and whether the client is still there. */
export type TaskOwner = string | TaskCaller;

interface TaskCaller {
  readonly part: string;
  /** Customer whose turn it takes, in all stores of the customer. Default: the customer of the partition. */
  readonly customerId?: string | undefined;
  readonly signal?: (() => AbortSignal) | undefined;
}

/** The customer that a partition belongs to; null for one that has none. */
type FindCustomer = (part: string) => Promise<string | null>;

const customerFinders = new Set<FindCustomer>();

/**
 * Tasks of jobs know their partition only: they take turns with what requests of the same customer begin. Returns what removes the
 * finder; with several services in a process, each knows its own stores.
 */
export function addTaskCustomers(find: FindCustomer): () => void {
  customerFinders.add(find);
  return () => void customerFinders.delete(find);
}

async function customerOf(part: string): Promise<string> {
  for (const find of customerFinders) {
    // A store that does not answer is no reason to fail: the task takes the turns of its partition then.
    const customerId = await find(part).catch(() => null);
    if (customerId !== null) return customerId;
  }
  return part;
}

/** Runs the task for a store. The queue is fair between customers. */
export type WorkerTask<I, O> = (owner: TaskOwner, input: I) => Promise<O>;

/** The end of a task that ran in a thread. */
interface WorkerTaskEnd {
  readonly task: string;
  /** From the request to the result, including the time in the queue. */
  readonly seconds: number;
  readonly isFailed: boolean;
}

const endListeners = new Set<(end: WorkerTaskEnd) => void>();

/** Calls a listener for each task that ran in a thread; returns what removes it. */
export function onWorkerTaskEnd(listener: (end: WorkerTaskEnd) => void): () => void {
  endListeners.add(listener);
  return () => void endListeners.delete(listener);
}

/**
 * Shorter texts are processed where the request runs. At this size that takes 3 ms for prose and 12 ms for the slowest
 * shapes on two busy cores, and more for longer ones; a thread adds a millisecond or two.
 */
const INLINE_CHARS = 1_000;

/** At least two, so that a store never has all of them. */
export const THREADS = Math.max(2, Math.min(4, availableParallelism() - 1));

const LIMITS = {
  running: THREADS,
  runningPerKey: THREADS - 1,
  queued: 400,
  queuedPerKey: 50,
  // The largest texts take about a second; a busy host may take many times as long.
  deadlineMs: 20_000,
  memoryMb: 256,
} as const;

/** The module that threads load, from the sources and from any file of the bundle. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "../worker.ts" : "../server/worker.js",
  import.meta.url,
);

/** One pool in a process, as there is one set of cores; opened by the first task. */
let pool: WorkerPool | null = null;

/** Ends the threads of this process after the tasks that were accepted; the next task starts new ones. */
export async function closeWorkers(): Promise<void> {
  const open = pool;
  pool = null;
  await open?.close();
}

/** Tasks that wait for a thread of this process. */
export const queuedTasks = (): number => pool?.queued() ?? 0;

const tasks = new Map<string, WorkerTaskDefinition<unknown, unknown>>();

/** A result as it crosses from the thread: a `Problem` would arrive as a plain error. */
type Outcome<O> =
  | { readonly value: O }
  | { readonly problem: { type: ErrorType; detail: string; options: ProblemOptions } };

/** Declares a task that runs in a thread for all but short texts. */
export function defineWorkerTask<I, O>(task: WorkerTaskDefinition<I, O>): WorkerTask<I, O> {
  tasks.set(task.id, task);
  return async (owner, input) =>
    task.size(input) < INLINE_CHARS ? task.run(input) : runInPool(task, owner, input);
}

async function runInPool<O>(
  { id, isApart, module }: Pick<WorkerTaskDefinition<never, O>, "id" | "isApart" | "module">,
  owner: TaskOwner,
  input: unknown,
): Promise<O> {
  const { part, customerId, signal }: TaskCaller = typeof owner === "string" ? { part: owner } : owner;
  const start = performance.now();
  let isFailed = true;
  try {
    const key = customerId ?? (await customerOf(part));
    pool ??= createWorkerPool({ ...LIMITS, entry: ENTRY });
    const outcome = await pool.run<Outcome<O>>(key, { id, module, input }, { isApart, signal: signal?.() });
    isFailed = false;
    if ("value" in outcome) return outcome.value;
    const { type, detail, options } = outcome.problem;
    throw new Problem(type, detail, options);
  } finally {
    const seconds = (performance.now() - start) / 1_000;
    for (const listener of endListeners) listener({ task: id, seconds, isFailed });
  }
}

/** Whether a text exceeded what a task may use, or what its format may contain. */
export const isTooComplex = (error: unknown): error is Problem =>
  error instanceof Problem && error.options.code === "text_too_complex";

/** Runs a task where it is: what a thread does with a message. */
export async function runWorkerTask({
  id,
  input,
}: {
  id: string;
  input: unknown;
}): Promise<Outcome<unknown>> {
  const task = tasks.get(id);
  if (task === undefined) throw new Error(`The worker task ${id} is not in the modules of server/worker.ts.`);
  try {
    return { value: await task.run(input) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, errors } = error.options;
    const options = { ...(code === undefined ? {} : { code }), ...(errors === undefined ? {} : { errors }) };
    return { problem: { type: error.type, detail: error.detail, options } };
  }
}
