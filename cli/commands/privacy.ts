import { resolve } from "node:path";

import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { collect, text, texts } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { getOne, openStream, post } from "../client/operator.ts";
import { writePrivate } from "../storage/store-file.ts";

export const define: Define = (command, run) => {
  const exported = command
    .command("export")
    .description("export all data of a store about a person as a zip");
  addPersonOptions(exported)
    .option("-o, --output <file>", "write to this file; - is stdout")
    .action(run(exportPerson));
  examples(exported, ["platform privacy export --store sto_… --email ada@shop.example -o ada.zip"]);

  const erased = command.command("erase").description("erase all data of a store about a person");
  addPersonOptions(erased)
    .option("--confirm <address>", "e-mail address of the person, to confirm without a prompt")
    .action(run(erasePerson));
  examples(erased, ["platform privacy erase --store sto_… --email ada@shop.example"]);
};

const addPersonOptions = (command: Parameters<Define>[0]) =>
  command
    .option("--email <address>", "e-mail address of the person")
    .option(
      "--customer-id <id>",
      "id of the person in the systems of the shop, if it cannot be found by the address (repeatable)",
      collect,
      [],
    );

async function exportPerson(cli: Cli, { options }: Input): Promise<void> {
  const { path, request } = await runRequest(cli, "export", await readPerson(cli, options));
  const file = text(options, "output") ?? `${textOf(request, "id")}.zip`;
  const response = await openStream(await cli.connect(), `${path}/export`, "application/zip");
  if (file === "-") {
    await cli.out.copy(response.chunks);
    return;
  }
  await writePrivate(resolve(cli.cwd, file), response.chunks);
  cli.out.info(`Written to ${file}.`);
  await cli.out.value(request);
}

async function erasePerson(cli: Cli, { options }: Input): Promise<void> {
  const person = await readPerson(cli, options);
  await cli.ask.confirmName(
    `This erases all data about ${person.email} in store ${person.store}. It cannot be undone.`,
    person.email,
    text(options, "confirm"),
  );
  await cli.out.value((await runRequest(cli, "erase", person)).request);
}

interface Person {
  readonly store: string;
  readonly email: string;
  readonly customerIds: readonly string[];
}

async function readPerson(cli: Cli, options: Input["options"]): Promise<Person> {
  const store = cli.globals.store ?? (await cli.ask.text("--store", "Store id:"));
  const email = text(options, "email") ?? (await cli.ask.text("--email", "E-mail address of the person:"));
  return { store, email, customerIds: texts(options, "customerId") };
}

const POLL_MS = 500;

/** Creates a privacy request, runs its job and waits until it is done. */
async function runRequest(
  cli: Cli,
  type: "export" | "erase",
  { store, email, customerIds }: Person,
): Promise<{ readonly path: string; readonly request: JsonObject }> {
  const body = { store_id: store, type, email, customer_ids: [...customerIds] };
  const made = await post(cli, "/privacy-requests", body);
  const path = `/privacy-requests/${encodeURIComponent(store)}/${encodeURIComponent(textOf(made, "id"))}`;
  // Without a server no job would run; with one this avoids waiting for its schedule.
  await post(cli, "/jobs/privacy.work/run", {}, { isLong: true }).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
  });
  for (;;) {
    const request = await getOne(cli, path);
    if (textOf(request, "status") === "done") return { path, request };
    if (cli.signal.aborted) {
      throw new CliError({
        type: "not_done",
        title: "Not done yet",
        detail: `The request ${textOf(made, "id")} continues in the background.`,
        exitCode: EXIT.serverError,
      });
    }
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}
