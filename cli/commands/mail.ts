import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post, queryText } from "../client/operator.ts";
import { readTextFile } from "../command/text-file.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

export const define: Define = (command, run) => {
  const preview = command
    .command("preview")
    .argument("[template]")
    .description("render a mail; needs no server");
  preview
    .option("--data <file>", "JSON file with the values; default: the example of the template")
    .option("--part <part>", "html, text or subject", "html")
    .option("-o, --output <file>", "write to this file")
    .option("--templates <dir>", "folder with a custom mail.mjml")
    .action(run(previewMail));
  examples(preview, [
    "platform mail preview verify -o verify.html",
    "platform mail preview verify --part text",
  ]);

  const list = addPaging(command.command("list").description("list the outbox, newest first"));
  list.option("--to <address>", "sent to this address").action(
    listAction(run, {
      path: "/mail",
      query: ({ options }) => ({ to: text(options, "to") }),
      columns: [
        ["ID", "id"],
        ["TO", "to"],
        ["TEMPLATE", "template"],
        ["STATUS", "status"],
        ["ATTEMPTS", "attempts"],
        ["CREATED", "created_at"],
        ["ERROR", "last_error"],
      ],
    }),
  );
  examples(list, ["platform mail list --to ada@shop.example"]);

  const show = command.command("show").argument("<id>").description("show a mail of the outbox");
  show.action(
    run(async (cli, { args: [id = ""] }) =>
      cli.out.value(await getOne(cli, `/mail/${encodeURIComponent(id)}`)),
    ),
  );
  examples(show, ["platform mail show mail_…"]);

  const link = command
    .command("link")
    .argument("<email>")
    .description("print the newest valid verification link");
  link.action(run(printLink));
  examples(link, ['curl "$(platform mail link ada@shop.example)"']);

  const sendTest = command
    .command("send-test")
    .argument("[address]")
    .description("send a mail through the configured transport");
  sendTest.action(run(sendTestMail));
  examples(sendTest, ["platform mail send-test ada@shop.example"]);

  const acts = [
    ["retry", "send a failed mail again"],
    ["resend", "send a mail that was sent before again, as a new mail"],
  ] as const;
  for (const [verb, summary] of acts) {
    const act = command.command(verb).argument("<id>").description(summary);
    act.action(
      run(async (cli, { args: [id = ""] }) =>
        cli.out.value(await post(cli, `/mail/${encodeURIComponent(id)}/${verb}`)),
      ),
    );
    examples(act, [`platform mail ${verb} mail_…`]);
  }

  const suppress = command
    .command("suppress")
    .argument("<address>")
    .description("stop all mail to an address, over all stores");
  suppress.option("--lift", "allow it again").action(
    run(async (cli, { args: [address = ""], options }) => {
      await cli.out.value(await post(cli, "/mail/suppress", { address, suppressed: options.lift !== true }));
    }),
  );
  examples(suppress, [
    "platform mail suppress ada@shop.example",
    "platform mail suppress ada@shop.example --lift",
  ]);
};

async function previewMail(cli: Cli, { args: [given], options }: Input): Promise<void> {
  const { isMailName, mailTemplates, renderMail } = await import("../../server/mail/render.ts");
  const names = Object.keys(mailTemplates);
  const name =
    given ??
    (await cli.ask.choose(
      "<template>",
      "Template:",
      names.map((value) => ({ value })),
    ));
  if (!isMailName(name)) throw usageError(`No mail template ${JSON.stringify(name)}.`, names.join(", "));
  const file = text(options, "data");
  const data: unknown =
    file === undefined ? mailTemplates[name].example : readData(cli, file.replace(/^@/, ""));
  const templates = text(options, "templates");
  // Data of a file is validated by the schema of the template.
  const rendered = await renderMail(name, data as never, {
    baseUrl: cli.globals.url ?? "https://api.shop.example",
    ...(templates === undefined ? {} : { templatesDir: resolve(cli.cwd, templates) }),
  }).catch((error: unknown) => {
    if (error instanceof Error && error.name === "ZodError")
      throw usageError(`Invalid data: ${error.message}`);
    throw error;
  });
  if (cli.out.isJson) return cli.out.value({ name, ...rendered });
  const part = text(options, "part") ?? "html";
  if (part !== "html" && part !== "text" && part !== "subject")
    throw usageError(`--part ${JSON.stringify(part)} is not one of html, text, subject.`);
  const output = text(options, "output");
  if (output === undefined || output === "-") return cli.out.write(`${rendered[part].trimEnd()}\n`);
  writeFileSync(resolve(cli.cwd, output), rendered[part]);
  cli.out.info(`Written to ${output}.`);
}

function readData(cli: Cli, file: string): unknown {
  const data = parseJson(readTextFile(cli, file));
  if (data === undefined) throw usageError(`${file} is not JSON.`);
  return data;
}

async function printLink(cli: Cli, { args: [email = ""] }: Input): Promise<void> {
  const found = await getOne(cli, `/mail/link${queryText({ email })}`);
  await cli.out.value(found, textOf(found, "link"));
}

/** Exit code 11 if the transport refused the mail; `last_error` has the reason. */
async function sendTestMail(cli: Cli, { args: [given] }: Input): Promise<number> {
  const to = given ?? (await cli.ask.text("<address>", "Recipient:"));
  const sent = await post(cli, "/mail/send-test", { to });
  await cli.out.value(sent);
  return sent.email_sent === true ? EXIT.ok : EXIT.findings;
}
