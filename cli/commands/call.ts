import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { collect, flag, text, texts } from "../command/globals.ts";
import { performCall } from "../calls/call.ts";
import { splitField } from "../calls/fields.ts";
import type { FieldText } from "../calls/fields.ts";
import { planRequest } from "../calls/request-plan.ts";
import { readFormFile, readInput } from "../command/text-file.ts";

export const define: Define = (command, run) => {
  command
    .argument("<method-or-path>", "GET, POST, …; only needed if the path has several methods")
    .argument(
      "[path]",
      "/v1/allergens/products or allergens/products; {id} and :id are replaced by the field of that name",
    )
    .option(
      "-F, --field <name=value>",
      "field of the body or query, typed by the schema of the route; @file reads a file, or uploads it if the route accepts forms (repeatable)",
      collect,
    )
    .option("-f, --raw-field <name=value>", "field that is always a string (repeatable)", collect)
    .option("--input <file>", "file with the request body; - reads stdin")
    .option("-H, --header <name:value>", "a request header (repeatable)", collect)
    .option("-i, --include", "print the status line and the headers to stderr")
    .option("-o, --output <file>", "write the body to a file")
    .option("--silent", "do not print the body")
    .option("--dry-run", "print the request as a curl command with the key masked; send nothing")
    .option("--show-secrets", "with --dry-run: do not mask the key")
    .option("--idempotency-key <key>", "idempotency key; `auto` generates one and prints it to stderr")
    .option("--all", "fetch all pages and merge their data into one list; waits after a 429")
    .option("--ndjson", "fetch all pages and print one item per line")
    .option("--wait-on-429 [duration]", "after a 429, wait for Retry-After and retry; at most 60s by default")
    .option(
      "--retry <n>",
      "retry after network errors, 502 to 504 and a 409 with Retry-After; writes need an idempotency key",
    )
    .option("--no-fail", "exit with 0 for any HTTP status")
    .action(run(callRoute));
  examples(command, [
    "platform call /v1/allergens/products",
    "platform call /v1/delivery/zones/{id} -F id=zon_…",
    "platform call /v1/delivery/validate -F postcode='SW1A 1AA' -F basketTotal=2500",
    "platform call POST /v1/reviews --input review.json --idempotency-key auto",
    "platform call reviews --all --jq '.data[].id'",
    "platform call reviews --ndjson > reviews.ndjson",
  ]);
};

async function callRoute(cli: Cli, { args, options }: Input): Promise<number> {
  const [method, path] = splitTarget(args);
  const input = text(options, "input");
  const plan = await planRequest({
    method,
    path: await withinService(cli, path),
    fields: readFields(cli, options),
    input: input === undefined ? undefined : await readInput(cli, input),
  });
  if (plan.warning !== undefined) cli.out.info(plan.warning);
  return performCall(cli, plan, {
    headers: texts(options, "header").map(toHeader),
    include: flag(options, "include"),
    output: text(options, "output"),
    silent: flag(options, "silent"),
    dryRun: flag(options, "dryRun"),
    showSecrets: flag(options, "showSecrets"),
    idempotencyKey: text(options, "idempotencyKey"),
    all: flag(options, "all"),
    ndjson: flag(options, "ndjson"),
    wait: options.waitOn429 === true ? "60s" : text(options, "waitOn429"),
    retry: text(options, "retry"),
    fail: options.fail !== false,
    table: false,
  });
}

function splitTarget(args: readonly string[]): readonly [method: string | undefined, path: string] {
  const [first = "", second] = args;
  if (second === undefined) return [undefined, first];
  const method = first.toUpperCase();
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method))
    throw usageError(`${first} is not an HTTP method.`);
  return [method, second];
}

/** A full URL is accepted only for the target: a key is never sent to another host. */
async function withinService(cli: Cli, path: string): Promise<string> {
  if (!/^https?:\/\//.test(path)) return path;
  const { url } = await cli.connect();
  if (!URL.canParse(path) || new URL(path).origin !== new URL(url).origin) {
    throw usageError(`${path} is not at ${url}. Keys are not sent to other hosts.`, "--url or --profile");
  }
  const { pathname, search } = new URL(path);
  return pathname + search;
}

function readFields(cli: Cli, options: Input["options"]): FieldText[] {
  const typed = texts(options, "field").map((field) => {
    const [name, value] = splitField(field, "-F");
    if (!value.startsWith("@")) return { name, value, raw: false };
    const file = readFormFile(cli, value.slice(1));
    return { name, value: file.bytes.toString("utf8"), raw: true, file };
  });
  const raw = texts(options, "rawField").map((field) => {
    const [name, value] = splitField(field, "-f");
    return { name, value, raw: true };
  });
  return [...typed, ...raw];
}

function toHeader(header: string): readonly [string, string] {
  const mark = header.indexOf(":");
  if (mark < 1) throw usageError(`-H ${JSON.stringify(header)} is not 'Name: value'.`);
  const name = header.slice(0, mark).trim().toLowerCase();
  // Command lines are visible to all users of the machine.
  if (name === "authorization")
    throw usageError("-H cannot set the key.", "PLATFORM_API_KEY, --key-file or platform login");
  return [name, header.slice(mark + 1).trim()];
}
