import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { CUSTOMER_ARG, customerId } from "../client/customer.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post, sendEmpty } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";
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
  const list = addPaging(command.command("list").description("list customers, newest first"));
  list
    .option("--status <status>", "pending, active, suspended or closed")
    .option("--email <address>", "with this e-mail address")
    .action(listAction(run, { path: "/customers", query: listQuery, columns: COLUMNS }));
  examples(list, ["platform customers list --status pending", "platform customers list --all --json"]);

  const show = command.command("show").argument("<id>", CUSTOMER_ARG).description("show a customer");
  show.action(run(async (cli, { args: [id = ""] }) => cli.out.value(await getOne(cli, await at(cli, id)))));
  examples(show, ["platform customers show cus_…", "platform customers show ada@shop.example"]);

  const create = command.command("create").description("sign up a customer, like the public form");
  create
    .option("--email <address>", "e-mail address to verify")
    .option("--no-mail", "send no mail; print the verification link")
    .action(run(createCustomer));
  examples(create, [
    "platform customers create --email ada@shop.example --store shop-1",
    "platform customers create --email ada@shop.example --store shop-1 --no-mail",
  ]);

  const verify = command
    .command("verify")
    .argument("<id>", CUSTOMER_ARG)
    .description("verify the address of a customer without mail; prints the key once");
  verify.action(run(verifyCustomer));
  examples(verify, ["platform customers verify cus_… --yes"]);

  const acts = [
    ["resend", "send the verification mail again"],
    ["suspend", "disable all keys of a customer"],
    ["resume", "enable the keys of a suspended customer again"],
    ["trust", "allow mail to new recipients beyond the budget of the plan"],
    ["distrust", "limit mail to new recipients to the budget of the plan again"],
  ] as const;
  for (const [verb, summary] of acts) {
    const act = command.command(verb).argument("<id>", CUSTOMER_ARG).description(summary);
    if (verb === "suspend") act.option("--reason <text>", "stored with the customer and in the audit trail");
    act.action(
      run(async (cli, { args: [id = ""], options }) => {
        const customer = await at(cli, id);
        if (verb !== "suspend") return cli.out.value(await post(cli, `${customer}/${verb}`));
        await cli.ask.confirm(`Suspend ${id}? Requests with its keys get 401 immediately.`);
        const reason = text(options, "reason") ?? null;
        await cli.out.value(await post(cli, `${customer}/${verb}`, { reason }));
      }),
    );
    examples(act, [`platform customers ${verb} cus_…`]);
  }

  const erase = command
    .command("delete")
    .argument("<id>", CUSTOMER_ARG)
    .description("close a customer: its keys are revoked immediately, its data is deleted after 30 days");
  erase
    .option("--confirm <email>", "e-mail address of the customer, to confirm without a prompt")
    .action(run(deleteCustomer));
  examples(erase, ["platform customers delete cus_… --confirm ada@shop.example"]);
};

const at = async (cli: Cli, named: string): Promise<string> =>
  `/customers/${encodeURIComponent(await customerId(cli, named))}`;

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
    cli.out.info(mail ? `Verification mail sent to ${email}.` : "This address is already verified.");
    return cli.out.value(customer);
  }
  cli.out.info(`No mail was sent. This link shows the key:`);
  await cli.out.value(customer, link);
}

async function verifyCustomer(cli: Cli, { args: [id = ""] }: Input): Promise<void> {
  const customer = await at(cli, id);
  await cli.ask.confirm(`Verify the address of ${id} without mail and show the key here?`);
  await printNewKey(cli, await post(cli, `${customer}/verify`));
}

async function deleteCustomer(cli: Cli, { args: [named = ""], options }: Input): Promise<void> {
  const path = await at(cli, named);
  const customer = await getOne(cli, path);
  const id = textOf(customer, "id");
  await cli.ask.confirmName(
    `This closes ${id}: its keys are revoked now, its stores and data are deleted after 30 days.`,
    textOf(customer, "email"),
    text(options, "confirm"),
  );
  await sendEmpty(cli, "DELETE", path);
  await cli.out.value({ id, closed: true });
}
