import { examples } from "../command/command.ts";
import type { Define } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { textOf } from "../terminal/json.ts";
import { post } from "../client/operator.ts";

export const define: Define = (command, run) => {
  const link = command
    .command("link")
    .description("create a login link for the console; valid once, for 30 minutes");
  link.action(
    run(async (cli) => {
      const made = await post(cli, "/console/links", {});
      await cli.out.value(made, textOf(made, "url"));
      return EXIT.ok;
    }),
  );
  examples(link, ["platform admin link"]);
};
