import type { Command } from "commander";

import type { RouteDetails, RouteLine } from "../../server/openapi/manifest.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input, Run } from "../command/command.ts";
import { detailsOf, listEndpoints } from "./endpoints.ts";
import { propertyNames, propertyOf, typesOf } from "./fields.ts";
import type { FieldText, Schema } from "./fields.ts";
import { collect, flag, text, texts } from "../command/globals.ts";
import { readFormFile, readInput } from "../command/text-file.ts";

/**
 * Sub-commands of an engine, one for each of its routes: the words come from the route's id, the arguments from its
 * path, the flags from its schemas.
 */
export const defineResources =
  (name: string): Define =>
  async (command, run) => {
    for (const line of (await listEndpoints()).filter(({ namespace }) => namespace === name)) {
      const made = resourceCommand(command, commandWords(line));
      addRoute(made, { line, details: await detailsOf(line) }, run);
    }
  };

/** The words of a route's command below its engine. */
export function commandWords({ id, namespace }: Pick<RouteLine, "id" | "namespace">): string[] {
  const [, ...words] = id.split(".");
  // `account.account.get` is `platform account get`.
  if (words[0] === namespace && words.length > 1) words.shift();
  return words;
}

interface Routed {
  readonly line: RouteLine;
  readonly details: RouteDetails;
}

/** The command with these words; parent commands are created as needed. */
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

function addRoute(command: Command, routed: Routed, run: Run): void {
  const { line, details } = routed;
  const { path, scope, method } = line;
  command.description(line.summary);
  for (const name of paramNames(path)) command.argument(`<${name}>`);
  const isWrite = !["GET", "DELETE"].includes(method);
  const schema = isWrite ? details.body : details.query;
  const fields = schema === null ? [] : toFlags(schema, reservedFlags(command), line.isMultipart);
  for (const { option, description, repeatable } of fields) {
    if (repeatable) command.option(option, description, collect);
    else command.option(option, description);
  }
  if (line.hasBody)
    command.option("--input <file>", "file with the JSON body, instead of flags; - reads stdin");
  if (isWrite || method === "DELETE") {
    command.option(
      "--idempotency-key <key>",
      "idempotency key; `auto` generates one and prints it to stderr",
    );
  }
  if (["PATCH", "PUT", "DELETE"].includes(method)) {
    command.option("--if-match <version>", "fail if the resource has another version");
  }
  if (line.isList) {
    command.option("--all", "fetch all pages and merge them into one list");
    command.option("--ndjson", "fetch all pages and print one item per line");
  }
  command.option("--dry-run", "print the request as a curl command with the key masked; send nothing");
  command.addHelpText("after", `\n${method} ${path}${scope === null ? "" : `   scope ${scope}`}`);
  examples(command, [exampleOf(command, routed, fields)]);
  command.action(run((cli, input) => callEndpoint(cli, input, { line, fields })));
}

interface FlagSpec {
  /** Member of the body or parameter of the query. */
  readonly field: string;
  /** Name of its value in the options of commander. */
  readonly key: string;
  readonly option: string;
  readonly description: string;
  readonly repeatable: boolean;
  /** `@path` uploads a file. */
  readonly isFile: boolean;
}

/** Flags for the top-level properties of a schema. Nested values are passed with --input or as JSON text. */
function toFlags(schema: Schema, reserved: ReadonlySet<string>, isMultipart: boolean): FlagSpec[] {
  return [...new Set(propertyNames(schema))].map((field) => {
    const property = propertyOf(schema, field, schema) ?? {};
    const types = typesOf(property, schema);
    const items = typeof property.items === "object" && !Array.isArray(property.items) ? property.items : {};
    const repeatable = types.has("array") && !typesOf(items, schema).has("object");
    const isFile = isMultipart && types.has("object") && propertyOf(property, "content", schema) !== null;
    const kebab = field.replaceAll("_", "-").replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    const name = reserved.has(kebab) ? `field-${kebab}` : kebab;
    const required = (schema.required ?? []).includes(field) ? " (required)" : "";
    return {
      field,
      key: name.replaceAll(/-([a-z0-9])/g, (_, first: string) => first.toUpperCase()),
      option: `--${name} <${isFile ? "@file" : placeholder(property, types, repeatable)}>`,
      description:
        `${property.description ?? choicesOf(property)}${repeatable ? " (repeatable)" : ""}${required}`.trim(),
      repeatable,
      isFile,
    };
  });
}

/** Names of options that every command or every route has. */
function reservedFlags(command: Command): ReadonlySet<string> {
  const own = ["input", "all", "ndjson", "dry-run", "idempotency-key", "if-match"];
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

export const paramNames = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

async function callEndpoint(
  cli: Cli,
  { args, options }: Input,
  { line, fields }: { line: RouteLine; fields: readonly FlagSpec[] },
): Promise<number> {
  const [{ ENGINE_CALL }, { performCall }, { planRequest }] = await Promise.all([
    import("./call-options.ts"),
    import("./call.ts"),
    import("./request-plan.ts"),
  ]);
  const values = [...args];
  const path = line.path.replaceAll(/:\w+/g, () => encodeURIComponent(values.shift() ?? ""));
  const file = text(options, "input");
  const plan = await planRequest({
    method: line.method,
    path,
    fields: givenFields(cli, fields, options),
    input: file === undefined ? undefined : await readInput(cli, file),
  });
  const version = text(options, "ifMatch");
  return performCall(cli, plan, {
    ...ENGINE_CALL,
    headers: version === undefined ? [] : [["if-match", /^\d+$/.test(version) ? `"${version}"` : version]],
    dryRun: flag(options, "dryRun"),
    idempotencyKey: text(options, "idempotencyKey"),
    all: flag(options, "all"),
    ndjson: flag(options, "ndjson"),
  });
}

function givenFields(cli: Cli, fields: readonly FlagSpec[], options: Input["options"]): FieldText[] {
  return fields.flatMap(({ field, key, repeatable, isFile }) => {
    const values = repeatable
      ? texts(options, key)
      : [text(options, key)].filter((value) => value !== undefined);
    return values.map((value) => {
      const name = repeatable ? `${field}[]` : field;
      // Only a route that accepts files has flags of this type.
      return isFile && value.startsWith("@")
        ? { name, value: "", raw: true, file: readFormFile(cli, value.slice(1)) }
        : { name, value, raw: false };
    });
  });
}

/** A command line with the example values of the route, if they are flat. */
function exampleOf(command: Command, { line, details }: Routed, fields: readonly FlagSpec[]): string {
  const { example } = details;
  const words: string[] = [];
  for (let above: Command | null = command; above !== null; above = above.parent) words.unshift(above.name());
  const params = paramNames(line.path).map((name) => example.params[name] ?? `<${name}>`);
  const body: unknown = line.hasBody ? example.body : example.query;
  const flat = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const isFlat = flat.every(([, value]) => typeof value !== "object" || value === null);
  if (!isFlat) return [...words, ...params, "--input", `${line.id.split(".").at(-1)}.json`].join(" ");
  const flags = flat.flatMap(([name, value]) => {
    const spec = fields.find(({ field }) => field === name);
    return spec === undefined ? [] : [spec.option.split(" ")[0] ?? "", shellWord(String(value))];
  });
  return [...words, ...params, ...flags].join(" ");
}

const shellWord = (value: string): string =>
  /^[\w.:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
