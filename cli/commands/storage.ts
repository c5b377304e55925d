import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { examples } from "../command.ts";
import type { Cli, Define, Input } from "../command.ts";
import { EXIT } from "../exit.ts";
import { text } from "../globals.ts";
import { isObject, objectsOf, parseJson, textOf } from "../json.ts";
import { getOne, operatorPath, post, readBody, toFailure } from "../operator.ts";

export const define: Define = (command, run) => {
  const info = command.command("info").description("driver, size, collections");
  info.action(run(showInfo));
  examples(info, ["platform storage info --json"]);

  const verify = command
    .command("verify")
    .description("read every document and index; exit code 11 on a finding");
  verify.action(run(verifyStorage));
  examples(verify, ["platform storage verify"]);

  const exporting = command.command("export").description("every document as a line of JSON");
  exporting
    .option("-o, --output <file>", "into a file, complete or not at all; - is stdout", "-")
    .action(run(exportAll));
  examples(exporting, [
    "platform storage export -o backup.ndjson",
    "platform storage export | gzip > backup.ndjson.gz",
  ]);

  const salvage = command.command("salvage").description("open a damaged store, keeping what can be read");
  salvage.action(run(async (cli) => (await import("../salvage.ts")).salvageStorage(cli)));
  examples(salvage, ["cp -a data data.damaged && platform storage salvage --yes"]);

  const compact = command
    .command("compact")
    .description("rewrite the data so that nothing erased is left in it");
  compact.action(run(async (cli) => cli.out.value(await post(cli, "/storage/compact"))));
  examples(compact, ["platform storage compact"]);
};

async function verifyStorage(cli: Cli): Promise<number> {
  const result = await post(cli, "/storage/verify");
  if (cli.out.isJson) await cli.out.value(result);
  else
    await cli.out.list(objectsOf(result.problems), [
      ["KEY", "key"],
      ["PROBLEM", "problem"],
    ]);
  cli.out.talk(`${textOf(result, "documents")} documents read, ${textOf(result, "problem_count")} problems.`);
  return result.ok === true ? EXIT.ok : EXIT.findings;
}

async function showInfo(cli: Cli): Promise<void> {
  const info = await getOne(cli, "/storage/info");
  if (cli.out.isJson) return cli.out.value(info);
  const rows = objectsOf(info.partitions).flatMap((partition) =>
    objectsOf(partition.collections)
      // Index entries are counted in the JSON document; for a person they are noise.
      .filter((collection) => !textOf(collection, "name").startsWith("ix."))
      .map((collection) => ({
        partition: textOf(partition, "name"),
        ...collection,
      })),
  );
  await cli.out.list(rows, [
    ["PARTITION", "partition"],
    ["COLLECTION", "name"],
    ["DOCUMENTS", "count"],
  ]);
  const stats = Object.entries(isObject(info.stats) ? info.stats : {}).map(
    ([name, value]) => `${name} ${String(value)}`,
  );
  cli.out.talk(
    [`driver ${textOf(info, "driver")}`, `${textOf(info, "documents")} documents`, ...stats].join(", "),
  );
}

async function exportAll(cli: Cli, { options }: Input): Promise<void> {
  const api = await cli.connect();
  const request = { method: "GET", path: operatorPath("/storage/export"), as: "operator" } as const;
  const response = await api.send(request);
  if (response.status >= 400) {
    throw toFailure(api, request, response, parseJson((await readBody(response)).toString("utf8")));
  }
  const file = text(options, "output") ?? "-";
  if (file === "-") {
    for await (const chunk of response.chunks) await cli.out.write(chunk);
    return;
  }
  const path = resolve(cli.cwd, file);
  await pipeline(Readable.from(response.chunks), createWriteStream(`${path}.part`, { mode: 0o600 }));
  await rename(`${path}.part`, path);
  cli.out.talk(`Written to ${file}.`);
}
