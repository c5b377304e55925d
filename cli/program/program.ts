import { resolve } from "node:path";

import { Command, CommanderError } from "commander";

import { systemClock } from "../../server/core/clock.ts";
import type { Cli, Handler, Input, Run } from "../command/command.ts";
import { listCommands } from "./commands.ts";
import type { CommandEntry } from "./commands.ts";
import { findEngines } from "./engines.ts";
import { widthOf } from "./prepared-help.ts";
import type { Api } from "../command/api.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { addGlobalOptions, readGlobals } from "../command/globals.ts";
import type { Io } from "../terminal/io.ts";
import { packageVersion } from "../../server/core/package-root.ts";

/** Runs one command and returns its exit code. The only place where errors are turned into text and exit codes. */
export async function runProgram(io: Io): Promise<number> {
  const session = createSession(io);
  const commands = await listCommands(await findEngines(io));
  const program = createProgram(io, commands);
  try {
    if (io.argv[0] === "complete" && io.argv[1] === "--")
      return await printCompletions(program, io, { commands, run: session.run });
    await loadCommand(program, io.argv, { commands, run: session.run });
    await program.parseAsync([...io.argv], { from: "user" });
    return session.exitCode();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const { json = false, verbose = false, color = true } = program.opts<{ [name: string]: boolean }>();
    // An unknown option may stop the parser before it reads --json.
    const options = { json: json || io.argv.includes("--json"), verbose, color };
    const { report } = await import("../terminal/report.ts");
    return report(error instanceof CommanderError ? toUsageError(error) : error, io, options);
  } finally {
    await session.close();
  }
}

/** Called by completion scripts: `complete -- <words>`. */
async function printCompletions(program: Command, io: Io, loading: Loading): Promise<number> {
  const words = io.argv.slice(2);
  await loadCommand(program, words, loading);
  const { complete } = await import("../help/completion.ts");
  await complete(program, words, io);
  return EXIT.ok;
}

/** The program with all commands and sub-commands defined. */
export async function createFullProgram(io: Io): Promise<Command> {
  const commands = await listCommands();
  const program = createProgram(io, commands);
  const { run } = createSession(io);
  for (const { name, load } of commands) {
    const command = program.commands.find((candidate) => candidate.name() === name);
    if (command !== undefined) await (await load()).define(command, run);
  }
  return program;
}

function createProgram(io: Io, commands: readonly CommandEntry[]): Command {
  const program = new Command("platform");
  const width = widthOf(io);
  program
    .description("Storefront engines behind one REST gateway: server and client.")
    .version(packageVersion(), "-V, --version", "show the version")
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      "after",
      "\nStart with: platform dev        Topics: platform help exit-codes | environment | formatting | profiles |\n                                            scripting | completion | agents",
    );
  addGlobalOptions(program);
  for (const { name, summary, group } of commands) {
    program.commandsGroup(group).command(name).description(summary).helpCommand(false);
  }
  return program;
}

interface Loading {
  readonly commands: readonly CommandEntry[];
  readonly run: Run;
}

/** Defines the requested command; the others have their summary only. */
async function loadCommand(
  program: Command,
  argv: readonly string[],
  { commands, run }: Loading,
): Promise<void> {
  const words = commandWords(program, argv);
  const isCommand = (name: string): boolean => commands.some((entry) => entry.name === name);
  const name = words[0] === "help" && words[1] !== undefined && isCommand(words[1]) ? words[1] : words[0];
  for (const wanted of new Set([words[0], name])) {
    const entry = commands.find((candidate) => candidate.name === wanted);
    const command = program.commands.find((candidate) => candidate.name() === wanted);
    if (entry !== undefined && command !== undefined) await (await entry.load()).define(command, run);
  }
}

/** The words of the command line that are neither options nor values of global options. */
function commandWords(program: Command, argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const token = argv[index] ?? "";
    if (token === "--") break;
    if (!token.startsWith("-")) words.push(token);
    else if (
      program.options.some(({ short, long, required }) => required && (token === short || token === long))
    )
      index += 1;
  }
  return words;
}

interface Session {
  readonly run: Run;
  exitCode(): number;
  close(): Promise<void>;
}

/** Runs handlers; the connection is opened at its first use and always closed. */
function createSession(io: Io): Session {
  let exitCode: number = EXIT.ok;
  let api: Promise<Api> | undefined;
  const signal = io.signal ?? new AbortController().signal;

  async function start(handler: Handler, input: Input, options: Record<string, unknown>): Promise<void> {
    const globals = readGlobals(options, io.env);
    const [{ createOutput }, { createAsk }] = await Promise.all([
      import("../terminal/output.ts"),
      import("../terminal/ask.ts"),
    ]);
    if (globals.jq !== undefined) (await import("../terminal/jq.ts")).assertJq();
    const cwd = typeof options.cwd === "string" ? resolve(io.cwd, options.cwd) : io.cwd;
    const cli: Cli = {
      io,
      cwd,
      globals,
      out: createOutput(io, globals),
      ask: createAsk(io, { yes: globals.yes, allowed: globals.input && !globals.json }),
      clock: systemClock,
      signal,
      connect: () => (api ??= import("../client/connect.ts").then(({ openApi }) => openApi(cli))),
    };
    exitCode = (await handler(cli, input)) ?? EXIT.ok;
  }

  return {
    run:
      (handler) =>
      async (...given) => {
        // Commander passes the arguments, then the options, then the command itself.
        const command = given.at(-1);
        if (!(command instanceof Command)) throw new TypeError("An action was called without its command.");
        assertArguments(command);
        await start(handler, { args: command.args, options: command.opts() }, command.optsWithGlobals());
      },
    exitCode: () => exitCode,
    close: async () => (await api?.catch(() => undefined))?.close(),
  };
}

/** Arguments that are paths of files; others become part of a URL. */
const PATH_ARGUMENTS = new Set(["dir", "file", "path"]);

/** An empty argument, and dots that URL normalisation removes, would request another resource: a list instead of an item. */
function assertArguments({ args, registeredArguments }: Command): void {
  args.forEach((arg, index) => {
    const name = (registeredArguments[index] ?? registeredArguments.at(-1))?.name() ?? "";
    const isEmpty = arg.trim() === "" || (!PATH_ARGUMENTS.has(name) && [".", ".."].includes(arg));
    if (isEmpty) throw usageError(`${JSON.stringify(arg)} is not a valid <${name}>.`);
  });
}

function toUsageError(error: CommanderError) {
  if (error.code === "commander.help") return usageError("A sub-command is required. They are listed above.");
  const [detail = "", hint] = error.message.replace(/^error: /, "").split("\n");
  const ofCurl = /^unknown option '(-X|--request|-d|--data[a-z-]*)'/.test(detail);
  const instead = ofCurl ? "platform call POST <path> -F name=value, or --input <file>" : undefined;
  return usageError(detail, instead ?? /^\(Did you mean (.*)\?\)$/.exec(hint ?? "")?.[1]);
}
