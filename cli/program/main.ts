import { EXIT } from "../terminal/exit.ts";
import type { Io } from "../terminal/io.ts";
import { readPreparedHelp } from "./prepared-help.ts";

/**
 * Runs one command and returns its exit code. Everything it reads and writes is in `io`; it does not exit the
 * process.
 */
export async function main(io: Io): Promise<number> {
  const help = readPreparedHelp(io);
  if (help === null) return (await import("./program.ts")).runProgram(io);
  io.stdout.write(help);
  return EXIT.ok;
}
