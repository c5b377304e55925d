import type { Command } from "commander";

import type { Clock } from "../../server/core/clock.ts";
import type { Ask } from "../terminal/ask.ts";
import type { Api } from "./api.ts";
import type { Globals } from "./globals.ts";
import type { Io } from "../terminal/io.ts";
import type { Output } from "../terminal/output.ts";

/** What a command works with. */
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

/** What a command does. A number is its exit code, nothing is 0. */
export type Handler = (cli: Cli, input: Input) => Promise<number | void>;

/** Makes a commander action of a handler. */
export type Run = (handler: Handler) => (...given: unknown[]) => Promise<void>;

/** What every module in commands/ exports: it declares options, arguments and sub-commands. */
export type Define = (command: Command, run: Run) => void | Promise<void>;

/** Puts examples first on a help page: most people copy one and never read on. */
export function examples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText("before", ["Examples:", ...lines.map((line) => `  $ ${line}`), ""].join("\n"));
}
