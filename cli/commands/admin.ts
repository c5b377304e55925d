import { examples } from "../command/command.ts";
import type { Define } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { member, objectsOf, textOf } from "../terminal/json.ts";
import { post, sendAsOperator } from "../client/operator.ts";

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

  const search = command
    .command("search")
    .argument("<text>")
    .description("search customers, stores, keys, requests and mails by id, key or name");
  search.action(
    run(async (cli, { args: [q = ""] }) => {
      const found = await sendAsOperator(cli, { method: "POST", path: "/search", body: { q } });
      await cli.out.list(objectsOf(member(found, "data")), [
        ["KIND", "kind"],
        ["ID", "id"],
        ["NAME", "name"],
        ["DETAIL", "detail"],
      ]);
    }),
  );
  examples(search, ["platform admin search bakery", "platform admin search req_…"]);
};
