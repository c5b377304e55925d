import type { Command } from "commander";

import { toInstant } from "../../server/lib/instant.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { parseSeconds } from "../terminal/duration.ts";
import { usageError } from "../terminal/exit.ts";
import { collect, flag, text, texts } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post, queryText, sendEmpty } from "../client/operator.ts";
import type { Query } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

export const define: Define = (command, run) => {
  const list = addTestData(
    addPaging(command.command("list").description("list endpoints of a store or of the operator")),
  );
  list.action(
    listAction(run, {
      path: "/webhooks",
      query: placeOf,
      columns: [
        ["ID", "id"],
        ["STATUS", "status"],
        ["REASON", "disabled_reason"],
        ["FAILING SINCE", "failing_since"],
        ["TYPES", "types"],
        ["URL", "url"],
      ],
    }),
  );
  examples(list, ["platform webhooks list", "platform webhooks list --store sto_…"]);

  const show = addTestData(
    command.command("show").argument("<id>").description("show an endpoint, without its secret"),
  );
  show.action(run(async (cli, input) => cli.out.value(await getOne(cli, at(input), placeOf(input, cli)))));
  examples(show, ["platform webhooks show whk_… --store sto_…"]);

  const add = addTestData(command.command("add").argument("<url>").description("create an endpoint"));
  add
    .option(
      "--type <type>",
      "event type, such as key.revoked or reviews.* (repeatable); default: all",
      collect,
    )
    .option("--description <text>", "description of the endpoint")
    .action(run(addEndpoint));
  examples(add, [
    "platform webhooks add https://ops.shop.example/hooks --type key.* --type customer.*",
    "platform webhooks add https://till.shop.example/hooks --store sto_… --type catering.*",
  ]);

  const deliveries = addTestData(
    addPaging(
      command.command("deliveries").argument("<id>").description("list deliveries and their results"),
    ),
  );
  deliveries.option("--status <status>", "pending, sending, delivered, failed or skipped").action(
    listAction(run, {
      path: (input) => `${at(input)}/deliveries`,
      query: (input, cli) => ({ ...placeOf(input, cli), status: text(input.options, "status") }),
      columns: DELIVERY_COLUMNS,
    }),
  );
  examples(deliveries, ["platform webhooks deliveries whk_… --store sto_… --status failed"]);

  const replay = addTestData(
    command
      .command("replay")
      .argument("<id>")
      .argument("[delivery]")
      .description("send one delivery again, or those of a period"),
  );
  replay
    .option("--since <when>", "start of the period: an instant, or a duration such as 24h")
    .option("--until <when>", "end of the period; default: now")
    .option("--all-deliveries", "include successful deliveries")
    .action(run(replayDeliveries));
  examples(replay, [
    "platform webhooks replay whk_… dlv_… --store sto_…",
    "platform webhooks replay whk_… --since 24h --store sto_…",
  ]);

  addToggle(command, run, "test", "send a webhook.test event");
  addToggle(command, run, "enable", "enable an endpoint");
  addToggle(command, run, "disable", "disable an endpoint; events are not stored for it");

  const drop = addTestData(command.command("remove").argument("<id>").description("remove an endpoint"));
  drop.action(run(removeEndpoint));
  examples(drop, ["platform webhooks remove whk_… --yes"]);

  defineForwarding(command, run);

  const types = command.command("types").description("list event types");
  types.action(
    listAction(run, {
      path: "/event-types",
      query: () => ({}),
      columns: [
        ["TYPE", "type"],
        ["WHEN", "summary"],
      ],
    }),
  );
  examples(types, ["platform webhooks types"]);
};

function defineForwarding(command: Command, run: Parameters<Define>[1]): void {
  const listen = command
    .command("listen")
    .description("forward events of the API key's store to a local server, without a public URL");
  listen
    .requiredOption("--forward-to <url>", "URL that receives the events, such as http://127.0.0.1:4000/hooks")
    .option(
      "--type <type>",
      "event type, such as key.revoked or reviews.* (repeatable); default: all",
      collect,
    )
    .option("--for <duration>", "end after this time, such as 10m")
    .option("--count <n>", "end after this number of events")
    .action(run(async (cli, input) => (await import("../live/listen.ts")).listenWebhooks(cli, input)));
  examples(listen, ["platform webhooks listen --forward-to http://127.0.0.1:4000/hooks --type reviews.*"]);

  const trigger = command
    .command("trigger")
    .argument("<type>")
    .description("send the example of an event type to listeners, or to endpoints of test data");
  trigger.action(run(async (cli, input) => (await import("../live/listen.ts")).triggerWebhook(cli, input)));
  examples(trigger, ["platform webhooks trigger reviews.review.submitted"]);
}

function addToggle(command: Command, run: Parameters<Define>[1], verb: string, about: string): void {
  const made = addTestData(command.command(verb).argument("<id>").description(about));
  made.action(
    run(async (cli, input) => {
      if (verb === "disable") await cli.ask.confirm(`Disable ${input.args[0] ?? ""}?`);
      await cli.out.value(await post(cli, `${at(input)}/${verb}${queryText(placeOf(input, cli))}`));
    }),
  );
  examples(made, [`platform webhooks ${verb} whk_… --store sto_…`]);
}

const addTestData = (command: Command): Command =>
  command.option("--test-data", "use the test data of the store (with --store)");

/** The store is set by its id in the global option. */
function placeOf({ options }: Input, cli: Cli): Query {
  const { store } = cli.globals;
  const isTest = flag(options, "testData");
  if (isTest && store === undefined) throw usageError("--test-data needs --store <id>.");
  return { store_id: store, mode: store === undefined ? undefined : isTest ? "test" : "live" };
}

const at = ({ args: [id = ""] }: Input): string => `/webhooks/${encodeURIComponent(id)}`;

const DELIVERY_COLUMNS: readonly Column[] = [
  ["ID", "id"],
  ["EVENT", "event_id"],
  ["TYPE", "type"],
  ["STATUS", "status"],
  ["ATTEMPTS", "attempts"],
  ["NEXT", "next_at"],
  ["CREATED", "created_at"],
];

async function addEndpoint(cli: Cli, input: Input): Promise<void> {
  const { args, options } = input;
  const types = texts(options, "type");
  const body = {
    url: args[0] ?? "",
    description: text(options, "description") ?? "",
    ...(types.length === 0 ? {} : { types }),
  };
  const endpoint = await post(cli, `/webhooks${queryText(placeOf(input, cli))}`, body);
  cli.out.info(`Endpoint ${textOf(endpoint, "id")} created. Its secret is shown only once:`);
  await cli.out.value(endpoint, textOf(endpoint, "secret"));
}

async function replayDeliveries(cli: Cli, input: Input): Promise<void> {
  const { args, options } = input;
  const query = queryText(placeOf(input, cli));
  const delivery = args[1];
  const since = text(options, "since");
  if ((delivery === undefined) === (since === undefined)) {
    throw usageError("Specify one delivery, or a period with --since.", "--since 24h");
  }
  if (delivery !== undefined) {
    const path = `${at(input)}/deliveries/${encodeURIComponent(delivery)}/resend`;
    return cli.out.value(await post(cli, path + query));
  }
  const until = text(options, "until");
  const body = {
    since: instantOf(cli, since ?? "", "--since"),
    ...(until === undefined ? {} : { until: instantOf(cli, until, "--until") }),
    only: flag(options, "allDeliveries") ? "all" : "undelivered",
  };
  await cli.out.value(await post(cli, `${at(input)}/resend${query}`, body));
}

/** An instant, or one so long ago. */
const instantOf = ({ clock }: Cli, when: string, option: string): string =>
  /^\d{4}-/.test(when) ? when : toInstant(clock.now() - parseSeconds(when, option) * 1000);

async function removeEndpoint(cli: Cli, input: Input): Promise<void> {
  const id = input.args[0] ?? "";
  await cli.ask.confirm(`Remove ${id}? Pending deliveries are not sent.`);
  await sendEmpty(cli, "DELETE", at(input) + queryText(placeOf(input, cli)));
  await cli.out.value({ id, removed: true });
}
