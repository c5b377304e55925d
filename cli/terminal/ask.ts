import type * as prompts from "@inquirer/prompts";

import { cancelled, Interrupted, usageError } from "./exit.ts";
import type { Io } from "./io.ts";

export interface Choice {
  readonly value: string;
  readonly name?: string;
  readonly checked?: boolean;
}

/**
 * Questions to a person. Each names the flag that answers it without one: where there is no terminal, or
 * `--no-input`, `--json` or CI say so, the command ends with exit code 2 and that name.
 */
export interface Ask {
  text(flag: string, message: string, initial?: string): Promise<string>;
  /** Typed unseen. */
  secret(flag: string, message: string): Promise<string>;
  choose(flag: string, message: string, choices: readonly Choice[]): Promise<string>;
  chooseMany(flag: string, message: string, choices: readonly Choice[]): Promise<string[]>;
  /** Returns when the answer is yes (or `--yes` was given); throws otherwise. */
  confirm(message: string): Promise<void>;
  /** For what cannot be undone: the name has to be typed, or given by `--confirm`. */
  confirmName(message: string, name: string, given: string | undefined): Promise<void>;
  readonly isPossible: boolean;
}

export interface AskOptions {
  readonly yes: boolean;
  /** False with --no-input and --json. */
  readonly allowed: boolean;
}

export function createAsk(io: Io, { yes, allowed }: AskOptions): Ask {
  const isPossible =
    allowed && io.stdin.isTTY === true && io.stderr.isTTY === true && (io.env.CI ?? "") === "";

  async function prompt<T>(flag: string, question: (kit: Kit, context: Context) => Promise<T>): Promise<T> {
    if (!isPossible) throw usageError(`needs ${flag} (no terminal to ask on)`, flag);
    const kit = await import("@inquirer/prompts");
    const end = new AbortController();
    // Ctrl+D closes the line reader, which pauses stdin: without this the prompt would never settle.
    const closed = (): void => end.abort();
    io.stdin.once("pause", closed);
    io.signal?.addEventListener("abort", closed);
    try {
      // Drawn on stderr: stdout belongs to the data.
      return await question(kit, { input: io.stdin, output: io.stderr, signal: end.signal });
    } catch (error) {
      throw toOurs(error, io.signal);
    } finally {
      io.stdin.off("pause", closed);
      io.signal?.removeEventListener("abort", closed);
    }
  }

  return {
    isPossible,
    text: (flag, message, initial) =>
      prompt(flag, ({ input }, context) =>
        input({ message, required: true, ...(initial === undefined ? {} : { default: initial }) }, context),
      ),
    secret: (flag, message) =>
      prompt(flag, ({ password }, context) => password({ message, mask: "*", toggleMask: false }, context)),
    choose: (flag, message, choices) =>
      prompt(flag, ({ select }, context) => select({ message, choices: [...choices] }, context)),
    chooseMany: (flag, message, choices) =>
      prompt(flag, ({ checkbox }, context) =>
        checkbox({ message, choices: [...choices], required: true }, context),
      ),
    async confirm(message) {
      if (yes) return;
      const agreed = await prompt("--yes", ({ confirm }, context) =>
        confirm({ message, default: false }, context),
      );
      if (!agreed) throw cancelled("Nothing was changed.");
    },
    async confirmName(message, name, given) {
      if (given === undefined) {
        const typed = await prompt(`--confirm ${name}`, ({ input }, context) =>
          input({ message: `${message} Type ${name} to go on:` }, context),
        );
        if (typed !== name) throw cancelled("That is another name: nothing was changed.");
      } else if (given !== name) {
        throw usageError(`--confirm names ${JSON.stringify(given)}, not ${JSON.stringify(name)}.`);
      }
    },
  };
}

type Kit = typeof prompts;
type Context = { input: Io["stdin"]; output: Io["stderr"]; signal: AbortSignal };

function toOurs(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!(error instanceof Error)) return error;
  if (signal?.aborted === true) return new Interrupted(Number(signal.reason));
  if (error.name === "ExitPromptError") return new Interrupted();
  if (error.name === "AbortPromptError") return cancelled("The input ended: nothing was changed.");
  return error;
}
