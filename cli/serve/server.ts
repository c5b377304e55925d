import type { RunningServer, ServeOptions } from "../../server/serve.ts";
import type { Cli } from "../command/command.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { storageError } from "../client/local.ts";
import { markOnMainThread } from "./marking.ts";

/** Starts the server of this process; errors become failures with an exit code. */
export async function start(
  cli: Cli,
  options: Pick<ServeOptions, "loaded" | "dev" | "showsAddress" | "worker" | "isCheck">,
): Promise<RunningServer> {
  const isProcess = cli.io.stderr === process.stderr;
  if (isProcess) markOnMainThread(options.worker?.siblings.count ?? 1);
  const [{ startServer }, { ServeError }, { StoreError }] = await Promise.all([
    import("../../server/serve.ts"),
    import("../../server/serve/error.ts"),
    import("../../server/storage/contract.ts"),
  ]);
  try {
    return await startServer({
      ...options,
      clock: cli.clock,
      ownsProcess: isProcess,
      // In tests the log is written to the stderr of the test.
      ...(isProcess ? {} : { log: await createTestLog(cli, options) }),
    });
  } catch (error) {
    if (error instanceof ServeError) {
      if (error.code === "CERTIFICATE") throw usageError(error.message, error.hint);
      throw new CliError({
        type: error.code.toLowerCase(),
        title: "Cannot listen",
        detail: error.message,
        hint: error.hint,
        exitCode: EXIT.unreachable,
      });
    }
    if (error instanceof StoreError) throw storageError(error.code, error.message);
    throw error;
  }
}

async function createTestLog(cli: Cli, { loaded }: Pick<ServeOptions, "loaded">) {
  const { createLog } = await import("../../server/observability/log.ts");
  return createLog(loaded.config.log, {
    write: (line) => void cli.io.stderr.write(line),
    flush: () => undefined,
  });
}
