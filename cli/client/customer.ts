import type { Cli } from "../command/command.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { textOf } from "../terminal/json.ts";
import { getList } from "./operator.ts";

/** What a customer is named by, as a command line has it. */
export const CUSTOMER_ARG = "id or e-mail address of the customer";

/**
 * The id of a customer who is named by id or e-mail address. One address can have several customers, of which the open one is meant.
 * Throws CliError for an address of none, or of several.
 */
export async function customerId(cli: Cli, named: string): Promise<string> {
  if (!named.includes("@")) return named;
  const { items } = await getList(cli, "/customers", { email: named });
  const open = items.filter((customer) => textOf(customer, "status") !== "closed");
  const [found, ...others] = open.length > 0 ? open : items;
  if (found === undefined)
    throw new CliError({
      type: "not_found",
      title: "No such customer",
      detail: `No customer has the address ${named}.`,
      exitCode: EXIT.notFound,
      hint: "platform customers list",
    });
  if (others.length > 0)
    throw new CliError({
      type: "ambiguous",
      title: "Several customers",
      detail: `${others.length + 1} customers have the address ${named}. Use an id: ${[found, ...others].map((one) => textOf(one, "id")).join(", ")}.`,
      exitCode: EXIT.usage,
      hint: `platform customers list --email ${named}`,
    });
  return textOf(found, "id");
}

/** The id of the customer of an option; undefined without it. */
export const optionalCustomerId = async (cli: Cli, named: string | undefined): Promise<string | undefined> =>
  named === undefined ? undefined : customerId(cli, named);
