import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { TOPIC_NAMES, TOPICS } from "../help/topics.ts";
import { usageError } from "../terminal/exit.ts";

export const define: Define = (command, run) => {
  command
    .argument("[words...]", `a command, or one of: ${TOPIC_NAMES.join(", ")}`)
    .action(run((cli, input) => showHelp(cli, input, command)));
  examples(command, ["platform help keys issue", "platform help exit-codes"]);
};

async function showHelp(cli: Cli, { args }: Input, self: Parameters<Define>[0]): Promise<void> {
  const [first = ""] = args;
  const topic = Object.hasOwn(TOPICS, first) ? TOPICS[first] : undefined;
  if (topic !== undefined) return cli.out.write(topic);
  const root = self.parent ?? self;
  const found = args.reduce<typeof root | undefined>(
    (above, word) => above?.commands.find((candidate) => candidate.name() === word),
    root,
  );
  if (found === undefined)
    throw usageError(
      `No help topic or command ${JSON.stringify(args.join(" "))}.`,
      `platform help ${[...Object.keys(TOPICS), ...root.commands.map((one) => one.name())].join(" | ")}`,
    );
  found.outputHelp();
}
