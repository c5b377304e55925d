import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";

export const define: Define = (command, run) => {
  command.argument("<shell>", "bash, zsh, fish or powershell").action(run(printScript));
  examples(command, [
    "source <(platform completion bash)",
    "platform completion zsh > ~/.zfunc/_platform",
    "platform completion fish > ~/.config/fish/completions/platform.fish",
  ]);
};

/** The script runs `platform complete -- <words>` at every Tab. */
async function printScript(cli: Cli, { args: [shell = ""] }: Input): Promise<void> {
  const { COMPLETION_SCRIPTS } = await import("../help/completion-scripts.ts");
  if (Object.hasOwn(COMPLETION_SCRIPTS, shell)) return cli.out.write(COMPLETION_SCRIPTS[shell] ?? "");
  if (shell !== "powershell") {
    throw usageError(`No completion for shell ${JSON.stringify(shell)}.`, "bash, zsh, fish or powershell");
  }
  const { captureLog } = await import("../help/completion.ts");
  const { default: tab } = await import("@bomb.sh/tab");
  return cli.out.write(captureLog(() => tab.setup("platform", "platform", shell)));
}
