import { examples } from "../command.ts";
import type { Define } from "../command.ts";
import { EXIT } from "../exit.ts";
import { textOf } from "../json.ts";
import { post } from "../operator.ts";

export const define: Define = (command, run) => {
  const link = command
    .command("link")
    .description("a login link for the console, good once, for half an hour");
  link.action(
    run(async (cli) => {
      const made = await post(cli, "/console/links", {});
      await cli.out.value(made, textOf(made, "url"));
      return EXIT.ok;
    }),
  );
  examples(link, ["platform admin link"]);
};
