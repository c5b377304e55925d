import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { parseSeconds } from "../terminal/duration.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { collect, flag, text, texts } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { CUSTOMER_ARG, customerId, optionalCustomerId } from "../client/customer.ts";
import { addPaging, listAction } from "../client/list-command.ts";
import { getOne, post } from "../client/operator.ts";
import type { Column } from "../terminal/output.ts";

const COLUMNS: readonly Column[] = [
  ["ID", "id"],
  ["KEY", (key) => `${textOf(key, "prefix")}…${textOf(key, "last4")}`],
  ["STATUS", "status"],
  ["ACCEPTED", "accepted"],
  ["TIER", "tier"],
  ["CUSTOMER", "customer_id"],
  ["STORE", "store"],
  ["NAME", "name"],
  ["EXPIRES", "expires_at"],
  ["LAST USED", "last_used_at"],
];

export const define: Define = (command, run) => {
  const issue = command.command("issue").description("create a key; it is shown once").action(run(issueKey));
  issue
    .option("--customer <id>", CUSTOMER_ARG)
    .option("--email <address>", "e-mail address of the customer, instead of --customer")
    .option("--tier <plan>", "plan whose limits apply; default: the plan of the customer")
    .option("--scope <scope>", "scope of the key, such as delivery:read (repeatable)", collect)
    .option("--preset <name>", "read-only or full, instead of --scope")
    .option("--class <class>", "secret, or pub: publishable, for web pages")
    .option("--expires <duration>", "lifetime of the key, such as 90d; default: unlimited")
    .option("--name <text>", "name of the key")
    .option("--mode <mode>", "live or test")
    .option("--pending", "create the key with status pending");
  examples(issue, [
    "platform keys issue --email ada@shop.example --store shop-1 --preset read-only --expires 90d",
    "KEY=$(platform keys issue --customer cus_… --preset full --quiet)",
    "platform keys issue --customer cus_… --class pub --scope forms:submit --scope reviews:public",
  ]);

  const list = addPaging(command.command("list").description("list keys, newest first; without secrets"));
  list
    .option("--customer <id>", "of one customer, by id or e-mail address")
    .option("--status <status>", "pending, ACTIVE, revoked or expired")
    .option("--expiring <duration>", "that expire within this time, such as 14d")
    .action(listAction(run, { path: "/keys", query: listQuery, columns: COLUMNS }));
  examples(list, ["platform keys list --status ACTIVE", "platform keys list --expiring 14d --json"]);

  const show = command.command("show").argument("<id>").description("show a key");
  show.action(
    run(async (cli, { args: [id = ""] }) => cli.out.value(await getOne(cli, `/keys/${encode(id)}`))),
  );
  examples(show, ["platform keys show key_…"]);

  const rotate = command
    .command("rotate")
    .argument("<id>")
    .description("replace a key; the old one stays valid for the overlap");
  rotate.option("--overlap <duration>", "how long the old key stays valid", "24h").action(run(rotateKey));
  examples(rotate, ["platform keys rotate key_… --overlap 24h"]);

  const revoke = command.command("revoke").argument("<id...>").description("revoke keys immediately");
  revoke
    .option("--reason <text>", "stored in the audit log", "revoked by the operator")
    .action(run(revokeKeys));
  examples(revoke, ["platform keys revoke key_… key_… --reason leaked --yes"]);

  const activate = command.command("activate").argument("<id>").description("activate a pending key");
  activate.action(
    run(async (cli, { args: [id = ""] }) => cli.out.value(await post(cli, `/keys/${encode(id)}/activate`))),
  );
  examples(activate, ["platform keys activate key_…"]);

  const scan = command
    .command("scan")
    .argument("<path...>")
    .description("scan files for keys; works offline");
  scan.option("--hidden", "include files and folders whose name begins with a dot").action(run(scanPaths));
  examples(scan, ["platform keys scan . ", "platform keys scan logs/ --json"]);
};

async function issueKey(cli: Cli, { options }: Input): Promise<void> {
  const expires = text(options, "expires");
  const kind = kindOf(text(options, "class"));
  const body = {
    ...(await askOwner(cli, options)),
    ...(await askScopes(cli, options, kind)),
    kind,
    ...named({ store: cli.globals.store, tier: text(options, "tier"), name: text(options, "name") }),
    ...named({ mode: text(options, "mode") }),
    ...(expires === undefined ? {} : { expires_in_seconds: parseSeconds(expires, "--expires") }),
    ...(flag(options, "pending") ? { pending: true } : {}),
  };
  const key = await post(cli, "/keys", body);
  await printNewKey(cli, key);
}

/** Prints only the plaintext to stdout, for scripts; the rest goes to stderr. */
export async function printNewKey(cli: Cli, key: JsonObject): Promise<void> {
  const plaintext = textOf(key, "api_key");
  if (plaintext === "") return cli.out.value(key);
  const about = textOf(key, "public_key") === "" ? SHOWN_ONCE : PUBLIC;
  cli.out.info(`Key ${textOf(key, "id")} created. ${about}`);
  await cli.out.value(key, plaintext);
}

const SHOWN_ONCE = "It is shown only once. Store it in a safe place:";
const PUBLIC = "It can be used in web pages and shown again with `platform keys show`:";

function kindOf(named: string | undefined): "secret" | "publishable" {
  if (named === undefined || named === "secret") return "secret";
  if (named === "pub" || named === "publishable") return "publishable";
  throw usageError(`Unknown key class ${JSON.stringify(named)}.`, "--class pub");
}

async function askOwner(cli: Cli, options: Input["options"]): Promise<JsonObject> {
  const customer = text(options, "customer");
  const email = text(options, "email");
  if (customer !== undefined && email !== undefined)
    throw usageError("--customer and --email cannot be combined.");
  if (customer !== undefined) return { customer_id: await customerId(cli, customer) };
  if (email === undefined && !cli.ask.isPossible)
    throw usageError("--customer or --email is required (no terminal to prompt on)", "--email <address>");
  return { email: email ?? (await cli.ask.text("--email", "E-mail address of the customer:")) };
}

async function askScopes(
  cli: Cli,
  options: Input["options"],
  kind: "secret" | "publishable",
): Promise<JsonObject> {
  const given = texts(options, "scope");
  const preset = text(options, "preset");
  if (given.length > 0 && preset !== undefined) throw usageError("--scope and --preset cannot be combined.");
  if (given.length > 0) return { scopes: given };
  if (preset !== undefined) return { preset };
  if (!cli.ask.isPossible) {
    const preset = kind === "publishable" ? "full" : "read-only";
    throw usageError("--preset or --scope is required (no terminal to prompt on)", `--preset ${preset}`);
  }
  const choice = await cli.ask.choose("--preset", "Scopes of the key:", [
    { value: "read-only", name: "read-only" },
    { value: "full", name: "full" },
    { value: "", name: "choose scopes" },
  ]);
  if (choice !== "") return { preset: choice };
  const { loadRegistry } = await import("../calls/endpoints.ts");
  const { openScopes, scopes } = await loadRegistry();
  const choices = (kind === "publishable" ? openScopes : scopes).map((scope) => ({ value: scope }));
  return { scopes: await cli.ask.chooseMany("--scope", "Scopes:", choices) };
}

async function listQuery({ options }: Input, cli: Cli) {
  const expiring = text(options, "expiring");
  const days = expiring === undefined ? undefined : Math.ceil(parseSeconds(expiring, "--expiring") / 86_400);
  return {
    customer_id: await optionalCustomerId(cli, text(options, "customer")),
    status: text(options, "status"),
    expiring_days: days === undefined ? undefined : String(days),
  };
}

async function rotateKey(cli: Cli, { args: [id = ""], options }: Input): Promise<void> {
  const overlap = text(options, "overlap") ?? "24h";
  const seconds = parseSeconds(overlap, "--overlap");
  await cli.ask.confirm(`Rotate ${id}? The old key stays valid for ${overlap}.`);
  const key = await post(cli, `/keys/${encode(id)}/rotate`, { overlap_seconds: seconds });
  const until = textOf(key.replaced, "expires_at");
  cli.out.info(until === "" ? `${id} is no longer valid.` : `${id} is valid until ${until}.`);
  await printNewKey(cli, key);
}

/** Continues after a failure, to revoke as many leaked keys as possible. */
async function revokeKeys(cli: Cli, { args, options }: Input): Promise<number> {
  await cli.ask.confirm(`Revoke ${args.join(", ")}? Requests get 401 immediately.`);
  const rows: JsonObject[] = [];
  let worst: number = EXIT.ok;
  for (const id of args) {
    try {
      const key = await post(cli, `/keys/${encode(id)}/revoke`, { reason: text(options, "reason") });
      rows.push({ id, status: textOf(key, "status"), revoked_at: key.revoked_at ?? null });
    } catch (error) {
      if (!(error instanceof CliError) || error.failure.status === undefined) throw error;
      worst = Math.max(worst, error.failure.exitCode);
      rows.push({ id, status: error.failure.type, revoked_at: null, detail: error.failure.detail });
      cli.out.warn(`✖ ${id}: ${error.failure.detail}`);
    }
  }
  await cli.out.list(rows, [
    ["ID", "id"],
    ["STATUS", "status"],
    ["REVOKED", "revoked_at"],
  ]);
  return worst;
}

async function scanPaths(cli: Cli, { args, options }: Input): Promise<number> {
  const { scanForKeys } = await import("../client/scan.ts");
  const { findings, files } = await scanForKeys(args, { cwd: cli.cwd, hidden: flag(options, "hidden") });
  await cli.out.list(
    findings,
    [
      ["FILE", "file"],
      ["LINE", "line"],
      ["COLUMN", "column"],
      ["KIND", "kind"],
      ["KEY", "key"],
    ],
    {
      files,
    },
  );
  cli.out.info(`${findings.length === 0 ? "No keys" : `${findings.length} keys`} found in ${files} files.`);
  if (findings.length > 0) cli.out.info("Revoke them: platform keys list, then platform keys revoke <id>");
  return findings.length === 0 ? EXIT.ok : EXIT.findings;
}

const encode = encodeURIComponent;

const named = (pairs: Record<string, string | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined));
