import type { Command } from "commander";

import { post } from "../client/operator.ts";
import { examples } from "../command/command.ts";
import type { Run } from "../command/command.ts";

/** `mail suppress`: stops all mail to an address, for complaints that reach the operator. */
export const define = (command: Command, run: Run): void => {
  const suppress = command
    .command("suppress")
    .argument("<address>")
    .description("stop all mail to an address, over all stores");
  suppress.option("--lift", "allow it again").action(
    run(async (cli, { args: [address = ""], options }) => {
      await cli.out.value(await post(cli, "/mail/suppress", { address, suppressed: options.lift !== true }));
    }),
  );
  examples(suppress, [
    "platform mail suppress ada@shop.example",
    "platform mail suppress ada@shop.example --lift",
  ]);
};
