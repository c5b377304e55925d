import { examples } from "../command/command.ts";
import type { Define } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { EXIT } from "../terminal/exit.ts";
import { member, objectsOf, textOf } from "../terminal/json.ts";
import { post, sendAsOperator, sendEmpty } from "../client/operator.ts";

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

  const add = command.command("add").argument("<name>").description("add an operator; prints the token once");
  add
    .requiredOption("--role <role>", "viewer (reads), support (also mails, keys, suspensions) or owner")
    .action(
      run(async (cli, { args: [name = ""], options }) => {
        const made = await post(cli, "/operators", { name, role: text(options, "role") ?? "" });
        cli.out.info(`Copy the token now: it is not stored. ${name} uses it as PLATFORM_ADMIN_TOKEN.`);
        await cli.out.value(made, textOf(made, "token"));
      }),
    );
  examples(add, ["platform admin add anna --role support"]);

  const list = addPaging(command.command("list").description("list operators with a token of their own"));
  list.action(
    listAction(run, {
      path: "/operators",
      query: () => ({}),
      columns: [
        ["NAME", "name"],
        ["ROLE", "role"],
        ["CREATED", "created_at"],
      ],
    }),
  );
  examples(list, ["platform admin list"]);

  const remove = command
    .command("remove")
    .argument("<name>")
    .description("remove an operator: its token is refused immediately");
  remove.action(
    run(async (cli, { args: [name = ""] }) => {
      await cli.ask.confirm(`Remove the operator ${name}? Requests with the token get 401 immediately.`);
      await sendEmpty(cli, "DELETE", `/operators/${encodeURIComponent(name)}`);
      await cli.out.value({ name, removed: true });
    }),
  );
  examples(remove, ["platform admin remove anna"]);

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
