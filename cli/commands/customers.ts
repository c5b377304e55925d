import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post, sendEmpty } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";
import { define as defineTrust } from "./customers-trust.ts";
import { printNewKey } from "./keys.ts";

const COLUMNS: readonly Column[] = [
  ["ID", "id"],
  ["EMAIL", "email"],
  ["STATUS", "status"],
  ["PLAN", "plan"],
  ["STATE", "plan_state"],
  ["REQUESTS/MIN", "requests_per_minute"],
  ["CREATED", "created_at"],
];

export const define: Define = (command, run) => {
  const list = addPaging(command.command("list").description("customers, newest first"));
  list
    .option("--status <status>", "pending, active, suspended or closed")
    .option("--email <address>", "with this address")
    .action(listAction(run, { path: "/customers", query: listQuery, columns: COLUMNS }));
  examples(list, ["platform customers list --status pending", "platform customers list --all --json"]);

  const show = command.command("show").argument("<id>").description("one customer");
  show.action(run(async (cli, { args: [id = ""] }) => cli.out.value(await getOne(cli, at(id)))));
  examples(show, ["platform customers show cus_…"]);

  const create = command.command("create").description("sign a customer up, as the public form does");
  create
    .option("--email <address>", "address to confirm")
    .option("--no-mail", "send nothing and print the link")
    .action(run(createCustomer));
  examples(create, [
    "platform customers create --email ada@shop.example --store shop-1",
    "platform customers create --email ada@shop.example --store shop-1 --no-mail",
  ]);

  const verify = command
    .command("verify")
    .argument("<id>")
    .description("confirm the address by hand; prints the key once");
  verify.action(run(verifyCustomer));
  examples(verify, ["platform customers verify cus_… --yes"]);

  const acts = [
    ["resend", "send the verification mail again"],
    ["suspend", "stop every key of a customer"],
    ["resume", "let the keys of a suspended customer work again"],
  ] as const;
  for (const [verb, summary] of acts) {
    const act = command.command(verb).argument("<id>").description(summary);
    act.action(
      run(async (cli, { args: [id = ""] }) => {
        if (verb === "suspend")
          await cli.ask.confirm(`Suspend ${id}? Its keys get 401 from the next request on.`);
        await cli.out.value(await post(cli, `${at(id)}/${verb}`));
      }),
    );
    examples(act, [`platform customers ${verb} cus_…`]);
  }

  defineTrust(command, run);

  const erase = command
    .command("delete")
    .argument("<id>")
    .description("close a customer: its keys end at once, its data 30 days later");
  erase
    .option("--confirm <email>", "the customer's address, to confirm without a prompt")
    .action(run(deleteCustomer));
  examples(erase, ["platform customers delete cus_… --confirm ada@shop.example"]);
};

const at = (id: string): string => `/customers/${encodeURIComponent(id)}`;

const listQuery = ({ options }: Input) => ({
  status: text(options, "status"),
  email: text(options, "email"),
});

async function createCustomer(cli: Cli, { options }: Input): Promise<void> {
  const email = text(options, "email") ?? (await cli.ask.text("--email", "E-mail address:"));
  const storeIdentifier = cli.globals.store ?? (await cli.ask.text("--store", "Store identifier:"));
  const mail = options.mail !== false;
  const customer = await post(cli, "/customers", { email, storeIdentifier, mail });
  const link = textOf(customer, "verification_url");
  if (link === "") {
    cli.out.talk(mail ? `A mail is on its way to ${email}.` : "This address is already confirmed.");
    return cli.out.value(customer);
  }
  cli.out.talk(`No mail was sent. Whoever opens this link gets the key:`);
  await cli.out.value(customer, link);
}

async function verifyCustomer(cli: Cli, { args: [id = ""] }: Input): Promise<void> {
  await cli.ask.confirm(`Confirm the address of ${id} without its mail, and show the key here?`);
  await printNewKey(cli, await post(cli, `${at(id)}/verify`));
}

async function deleteCustomer(cli: Cli, { args: [id = ""], options }: Input): Promise<void> {
  const customer = await getOne(cli, at(id));
  await cli.ask.confirmName(
    `Closes ${id}: its keys end now, its stores and their data are erased 30 days later.`,
    textOf(customer, "email"),
    text(options, "confirm"),
  );
  await sendEmpty(cli, "DELETE", at(id));
  await cli.out.value({ id, closed: true });
}
