import type { Command } from "commander";

import { post } from "../client/operator.ts";
import { examples } from "../command/command.ts";
import type { Run } from "../command/command.ts";

/** `customers trust` and `customers distrust`: how many new recipients a customer's stores may write to. */
export const define = (command: Command, run: Run): void => {
  const acts = [
    ["trust", "allow mail to new recipients beyond the budget of the plan"],
    ["distrust", "limit mail to new recipients to the budget of the plan again"],
  ] as const;
  for (const [verb, summary] of acts) {
    const act = command.command(verb).argument("<id>").description(summary);
    act.action(
      run(async (cli, { args: [id = ""] }) =>
        cli.out.value(await post(cli, `/customers/${encodeURIComponent(id)}/${verb}`)),
      ),
    );
    examples(act, [`platform customers ${verb} cus_…`]);
  }
};
