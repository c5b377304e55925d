import { cancelled, Interrupted, usageError } from "./exit.ts";
import type { Io } from "./io.ts";
import { clean } from "../../server/lib/terminal-text.ts";

export interface Choice {
  readonly value: string;
  readonly name?: string;
  readonly checked?: boolean;
}

/**
 * Prompts. Each specifies the flag that answers it: without a terminal, and with `--no-input`, `--json` or CI set, the
 * command fails with exit code 2 and that flag in its message.
 */
export interface Ask {
  text(flag: string, message: string, initial?: string): Promise<string>;
  /** The input is masked. */
  secret(flag: string, message: string): Promise<string>;
  choose(flag: string, message: string, choices: readonly Choice[]): Promise<string>;
  chooseMany(flag: string, message: string, choices: readonly Choice[]): Promise<string[]>;
  /** Returns when the answer is yes or `--yes` is set; throws otherwise. */
  confirm(message: string): Promise<void>;
  /** For irreversible actions: the name must be typed or passed with `--confirm`. */
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
    if (!isPossible) throw usageError(`${flag} is required (no terminal to prompt on)`, flag);
    const kit = await loadKit();
    const end = new AbortController();
    // Ctrl+D closes the line reader, which pauses stdin: without this the prompt would never settle.
    const closed = (): void => end.abort();
    io.stdin.once("pause", closed);
    io.signal?.addEventListener("abort", closed);
    try {
      // Drawn on stderr: stdout is for data only.
      return await question(kit, { input: io.stdin, output: io.stderr, signal: end.signal });
    } catch (error) {
      throw toCliError(error, io.signal);
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
      prompt(flag, ({ select }, context) => select({ message, choices: choices.map(toShown) }, context)),
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
          input({ message: clean(`${message} Type ${name} to confirm:`) }, context),
        );
        if (typed !== name) throw cancelled("The name does not match. Nothing was changed.");
      } else if (given !== name) {
        throw usageError(`--confirm is ${JSON.stringify(given)}; expected ${JSON.stringify(name)}.`);
      }
    },
  };
}

/** What the service names is shown like all that it answers. */
const toShown = (choice: Choice): Choice => ({ ...choice, name: clean(choice.name ?? choice.value) });

/** The kinds of prompt that are used: `@inquirer/prompts` has as many again, with an editor and character sets. */
async function loadKit() {
  const [checkbox, confirm, input, password, select] = await Promise.all([
    import("@inquirer/checkbox"),
    import("@inquirer/confirm"),
    import("@inquirer/input"),
    import("@inquirer/password"),
    import("@inquirer/select"),
  ]);
  return {
    checkbox: checkbox.default,
    confirm: confirm.default,
    input: input.default,
    password: password.default,
    select: select.default,
  };
}
type Kit = Awaited<ReturnType<typeof loadKit>>;
type Context = { input: Io["stdin"]; output: Io["stderr"]; signal: AbortSignal };

function toCliError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (!(error instanceof Error)) return error;
  if (signal?.aborted === true) return new Interrupted(Number(signal.reason));
  if (error.name === "ExitPromptError") return new Interrupted();
  if (error.name === "AbortPromptError") return cancelled("The input ended. Nothing was changed.");
  return error;
}
