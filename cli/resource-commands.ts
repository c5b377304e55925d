import type { Command } from "commander";

import type { Endpoint } from "../server/http/namespace.ts";
import { examples } from "./command.ts";
import type { Cli, Define, Input, Run } from "./command.ts";
import { endpoints } from "./endpoints.ts";
import { inputSchema, propertyNames, propertyOf, typesOf } from "./fields.ts";
import type { FieldText, Schema } from "./fields.ts";
import { collect, flag, text, texts } from "./globals.ts";
import { readStdin } from "./io.ts";
import { readTextFile } from "./text-file.ts";

/**
 * Sub-commands of an engine, one for each of its routes: the words come from the route's id, the arguments from its
 * path, the flags from its schemas.
 */
export const defineResources =
  (name: string): Define =>
  (command, run) => {
    for (const endpoint of endpoints().filter(({ namespace }) => namespace.name === name)) {
      const [, ...words] = endpoint.route.id.split(".");
      // `account.account.get` is `platform account get`: nobody says a word twice.
      if (words[0] === name) words.shift();
      const verb = words.at(-1) ?? name;
      addRoute(resourceCommand(command, words.slice(0, -1)).command(verb), endpoint, run);
    }
  };

/** The commands above a verb; made at their first route. */
function resourceCommand(parent: Command, words: readonly string[]): Command {
  return words.reduce(
    (above, word) =>
      above.commands.find((candidate) => candidate.name() === word) ??
      above
        .command(word)
        .description(`${word.replaceAll("-", " ")} of ${above.name()}`)
        .helpCommand(false),
    parent,
  );
}

function addRoute(command: Command, endpoint: Endpoint, run: Run): void {
  const { route, path, scope } = endpoint;
  command.description(route.summary);
  for (const name of paramNames(path)) command.argument(`<${name}>`);
  const isWrite = !["GET", "DELETE"].includes(route.method);
  const schema = inputSchema(isWrite ? route.body : route.query);
  const fields = schema === null ? [] : toFlags(schema, reservedFlags(command));
  for (const { option, description, repeatable } of fields) {
    if (repeatable) command.option(option, description, collect);
    else command.option(option, description);
  }
  if (route.body !== null)
    command.option("--input <file>", "the whole body as JSON, instead of flags; - reads stdin");
  if (isWrite || route.method === "DELETE") {
    command.option("--idempotency-key <key>", "auto makes one and tells it on stderr");
  }
  if (["PATCH", "PUT", "DELETE"].includes(route.method)) {
    command.option("--if-match <version>", "only if the document still has this version");
  }
  if (route.isList) command.option("--paginate", "all pages as one list");
  command.option("--dry-run", "send nothing; print the request as a curl command, key masked");
  command.addHelpText("after", `\n${route.method} ${path}${scope === null ? "" : `   scope ${scope}`}`);
  examples(command, [exampleOf(command, endpoint, fields)]);
  command.action(run((cli, input) => callEndpoint(cli, input, { endpoint, fields, schema })));
}

interface FlagSpec {
  /** Member of the body or parameter of the query. */
  readonly field: string;
  /** Where commander keeps its value. */
  readonly key: string;
  readonly option: string;
  readonly description: string;
  readonly repeatable: boolean;
}

/** Flags for the flat members of a schema. What is nested goes through --input, or as JSON text. */
function toFlags(schema: Schema, reserved: ReadonlySet<string>): FlagSpec[] {
  return [...new Set(propertyNames(schema))].map((field) => {
    const property = propertyOf(schema, field, schema) ?? {};
    const types = typesOf(property, schema);
    const items = typeof property.items === "object" && !Array.isArray(property.items) ? property.items : {};
    const repeatable = types.has("array") && !typesOf(items, schema).has("object");
    const kebab = field.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const name = reserved.has(kebab) ? `field-${kebab}` : kebab;
    const required = (schema.required ?? []).includes(field) ? " (required)" : "";
    return {
      field,
      key: name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      option: `--${name} <${placeholder(property, types, repeatable)}>`,
      description:
        `${property.description ?? choicesOf(property)}${repeatable ? " (repeatable)" : ""}${required}`.trim(),
      repeatable,
    };
  });
}

/** Names that mean something to every command, or to every route. */
function reservedFlags(command: Command): ReadonlySet<string> {
  const own = ["input", "paginate", "dry-run", "idempotency-key", "if-match"];
  const inherited: string[] = [];
  for (let above: Command | null = command; above !== null; above = above.parent) {
    inherited.push(
      ...above.options.flatMap(({ long }) => (long == null ? [] : [long.replace(/^--(no-)?/, "")])),
    );
  }
  return new Set([...own, ...inherited]);
}

function placeholder(property: Schema, types: ReadonlySet<string>, repeatable: boolean): string {
  if (types.has("integer") || types.has("number")) return "number";
  if (types.has("boolean")) return "true|false";
  if (types.has("object")) return "json";
  if (types.has("array")) return repeatable ? "value" : "json";
  return property.format === "date" || property.format === "date-time" ? property.format : "text";
}

const choicesOf = ({ enum: choices }: Schema): string => (choices === undefined ? "" : choices.join(", "));

const paramNames = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

async function callEndpoint(
  cli: Cli,
  { args, options }: Input,
  route: { endpoint: Endpoint; fields: readonly FlagSpec[]; schema: Schema | null },
): Promise<number> {
  const [{ PLAIN_CALL, performCall }, { planRequest }] = await Promise.all([
    import("./call.ts"),
    import("./request-plan.ts"),
  ]);
  const { endpoint } = route;
  const values = [...args];
  const path = endpoint.path.replaceAll(/:\w+/g, () => encodeURIComponent(values.shift() ?? ""));
  const file = text(options, "input");
  const plan = planRequest({
    method: endpoint.route.method,
    path,
    fields: givenFields(route.fields, options),
    input: file === undefined ? undefined : await readInput(cli, file),
  });
  const version = text(options, "ifMatch");
  return performCall(cli, plan, {
    ...PLAIN_CALL,
    headers: version === undefined ? [] : [["if-match", /^\d+$/.test(version) ? `"${version}"` : version]],
    dryRun: flag(options, "dryRun"),
    idempotencyKey: text(options, "idempotencyKey"),
    paginate: flag(options, "paginate"),
  });
}

function givenFields(fields: readonly FlagSpec[], options: Input["options"]): FieldText[] {
  return fields.flatMap(({ field, key, repeatable }) => {
    const values = repeatable
      ? texts(options, key)
      : [text(options, key)].filter((value) => value !== undefined);
    return values.map((value) => ({ name: repeatable ? `${field}[]` : field, value, raw: false }));
  });
}

const readInput = async (cli: Cli, file: string): Promise<string> =>
  file === "-" ? readStdin(cli.io.stdin) : readTextFile(cli, file);

/** The words of a command, with the route's own example values where they are short and flat. */
function exampleOf(command: Command, { route, path }: Endpoint, fields: readonly FlagSpec[]): string {
  const words: string[] = [];
  for (let above: Command | null = command; above !== null; above = above.parent) words.unshift(above.name());
  const params = paramNames(path).map((name) => route.example.params?.[name] ?? `<${name}>`);
  const body: unknown = route.body === null ? route.example.query : route.example.body;
  const flat = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const isFlat = flat.every(([, value]) => typeof value !== "object" || value === null);
  if (!isFlat) return [...words, ...params, "--input", `${route.id.split(".").at(-1)}.json`].join(" ");
  const flags = flat.flatMap(([name, value]) => {
    const spec = fields.find(({ field }) => field === name);
    return spec === undefined ? [] : [spec.option.split(" ")[0] ?? "", shellWord(String(value))];
  });
  return [...words, ...params, ...flags].join(" ");
}

const shellWord = (value: string): string =>
  /^[\w.:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
