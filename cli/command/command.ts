import type { Command } from "commander";

import type { Clock } from "../../server/core/clock.ts";
import type { Ask } from "../terminal/ask.ts";
import type { Api } from "./api.ts";
import type { Globals } from "./globals.ts";
import type { Io } from "../terminal/io.ts";
import type { Output } from "../terminal/output.ts";

/** Context of a command. */
export interface Cli {
  readonly io: Io;
  /** Working folder, with --cwd considered. */
  readonly cwd: string;
  readonly globals: Globals;
  readonly out: Output;
  readonly ask: Ask;
  readonly clock: Clock;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** The service this command talks to; opened at the first call and closed after the command. */
  connect(): Promise<Api>;
}

export interface Input {
  readonly args: readonly string[];
  readonly options: Record<string, unknown>;
}

/** Implementation of a command. Returns its exit code; nothing means 0. */
export type Handler = (cli: Cli, input: Input) => Promise<number | void>;

/** Turns a handler into a commander action. */
export type Run = (handler: Handler) => (...given: unknown[]) => Promise<void>;

/** Exported by every module in commands/: declares options, arguments and sub-commands. */
export type Define = (command: Command, run: Run) => void | Promise<void>;

/** Puts examples first on a help page. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ ${line}`), ""].join("\n"));
}
