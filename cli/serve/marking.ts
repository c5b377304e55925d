import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";

/** Cores from which on a process has some to spare for the threads of V8. */
const SPARE_CORES = 3;

/**
 * Lets the main thread mark what is garbage by itself where a server has not `SPARE_CORES` of the machine: V8's own threads would take
 * the core from it, and from the other nodes, for some 40 ms at a time. `processes`: those that share the cores. Before the heap grows.
 */
export function markOnMainThread(processes: number, cores = availableParallelism()): void {
  if (cores / processes < SPARE_CORES) setFlagsFromString("--no-concurrent-marking");
}
