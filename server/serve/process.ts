import type { ServerLog } from "../observability/log.ts";

/**
 * For the process whose only job is the server: an uncaught error is a bug, after which the state of the
 * process is unknown. It is logged and the process ends with code 1; what was acknowledged is in the store.
 * Returns a function that takes the guard away.
 */
export function guardProcess(log: ServerLog): () => void {
  const onBug = (err: Error, origin: NodeJS.UncaughtExceptionOrigin): void => {
    log.error({ err, origin }, "unexpected error, exiting");
    log.flush();
    process.exit(1);
  };
  process.on("uncaughtException", onBug);
  return () => void process.off("uncaughtException", onBug);
}
