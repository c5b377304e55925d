import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { LoadedConfig } from "../../server/config/load.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { isObject, member, objectsOf, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { readTextFile } from "../command/text-file.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

export const define: Define = (command, run) => {
  command
    .option("-o, --output <file>", "write to this file; - is stdout", "-")
    .option("--check <file>", "compare with this document; exit code 11 when they differ")
    .action(run(printOpenApi));
  examples(command, [
    "platform openapi -o openapi.json",
    "platform openapi --check test/golden/openapi.json",
  ]);
};

/** The document of a remote service as it serves it; of the service of this folder as it would serve it. */
async function printOpenApi(cli: Cli, { options }: Input): Promise<number> {
  const { findTarget, runningServerOf } = await import("../client/target.ts");
  const target = await findTarget(cli);
  const document =
    target.kind === "remote"
      ? await fetchDocument(cli)
      : await readDocument(target.loaded.config, runningServerOf(target)?.url);
  cli.out.info(`Document of ${textOf(objectsOf(member(document, "servers"))[0], "url")}`);
  const golden = text(options, "check");
  if (golden !== undefined) return compare(cli, golden, document);
  const file = text(options, "output") ?? "-";
  if (file === "-") await cli.out.document(document);
  else {
    writeFileSync(resolve(cli.cwd, file), `${JSON.stringify(document, null, 2)}\n`);
    cli.out.info(`Written to ${file}.`);
  }
  return EXIT.ok;
}

async function fetchDocument(cli: Cli): Promise<unknown> {
  const { exchange } = await import("../client/operator.ts");
  const answers = { kind: "json", types: [] } as const;
  return exchange(await cli.connect(), { method: "GET", path: "/openapi.json", as: "anonymous", answers });
}

async function readDocument(
  { baseUrl, server }: LoadedConfig["config"],
  runningUrl: string | undefined,
): Promise<unknown> {
  const [{ loadRegistry }, { addressOf }] = await Promise.all([
    import("../calls/endpoints.ts"),
    import("../../server/config/load.ts"),
  ]);
  const { eventTypes, openApi } = await loadRegistry();
  const { text } = await openApi(baseUrl ?? runningUrl ?? addressOf(server), eventTypes, null);
  return parseJson(new TextDecoder().decode(text));
}

async function compare(cli: Cli, file: string, document: unknown): Promise<number> {
  const golden = parseJson(readTextFile(cli, file));
  if (!isObject(golden)) throw usageError(`${file} is not an OpenAPI document.`);
  const changes = diffPaths(operations(golden), operations(document));
  await cli.out.list(changes, [
    ["CHANGE", "change"],
    ["WHAT", "what"],
  ]);
  cli.out.info(changes.length === 0 ? "The documents are equal." : `${changes.length} differences.`);
  return changes.length === 0 ? EXIT.ok : EXIT.findings;
}

/** JSON of every operation and component, by name. */
function operations(document: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const paths = member(document, "paths");
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {})) {
    for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
      found.set(`${method.toUpperCase()} ${path}`, JSON.stringify(operation));
    }
  }
  const components = member(document, "components");
  for (const [kind, entries] of Object.entries(isObject(components) ? components : {})) {
    for (const [name, entry] of Object.entries(isObject(entries) ? entries : {})) {
      found.set(`${kind}.${name}`, JSON.stringify(entry));
    }
  }
  return found;
}

function diffPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): JsonObject[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((what) => {
    if (before.get(what) === after.get(what)) return [];
    const change = !before.has(what) ? "added" : !after.has(what) ? "removed" : "changed";
    return [{ change, what }];
  });
}
