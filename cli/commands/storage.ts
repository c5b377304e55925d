import { resolve } from "node:path";

import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { isObject, objectsOf, textOf } from "../terminal/json.ts";
import { getOne, openStream, post } from "../client/operator.ts";
import { writePrivate } from "../storage/store-file.ts";

export const define: Define = (command, run) => {
  const info = command.command("info").description("show driver, location, size and collections");
  info.action(run(showInfo));
  examples(info, ["platform storage info --json"]);

  const provision = command
    .command("provision")
    .description("create what the configured driver needs, and test it");
  provision
    .option("--to <target>", "another store, specified as for migrate")
    .action(
      run(async (cli, input) => (await import("../storage/provision.ts")).provisionStorage(cli, input)),
    );
  examples(provision, [
    "platform storage provision",
    "platform storage provision --to 's3://shop-data?region=eu-west-2'",
  ]);

  const migrate = command
    .command("migrate")
    .description("upgrade documents of older versions; with --to: move the data into another store");
  migrate
    .option("--to <target>", "configuration file of the target, or its address")
    .option("--dry-run", "print what would be done and what the target contains")
    .option("--confirm <name>", "name of the target: folder, host or bucket")
    .option("--settle <duration>", "time for writes on other nodes to finish")
    .action(
      run(async (cli, input) =>
        text(input.options, "to") === undefined
          ? (await import("../storage/migrate-in-place.ts")).migrateInPlace(cli, input)
          : (await import("../storage/migrate.ts")).migrateStorage(cli, input),
      ),
    );
  examples(migrate, [
    "platform storage migrate --dry-run",
    "platform storage migrate",
    "platform storage migrate --to next.config.ts --dry-run",
    "platform storage migrate --to redis://10.0.0.5:6379",
    "platform storage migrate --to fs:./copy --confirm copy",
  ]);

  const thaw = command.command("thaw").description("accept writes again after a migration");
  thaw.action(run(thawStorage));
  examples(thaw, ["platform storage thaw --yes"]);

  defineCopies(command, run);

  const verify = command
    .command("verify")
    .description("read every document and index; exit code 11 if problems are found");
  verify.option("--fix", "repair the indexes").action(run(verifyStorage));
  examples(verify, ["platform storage verify", "platform storage verify --fix --yes"]);

  const exporting = command
    .command("export")
    .description("print every document as a line of JSON, sorted by key");
  exporting
    .option("-o, --output <file>", "write to this file, atomically; - is stdout", "-")
    .action(run(exportAll));
  examples(exporting, ['platform storage export | grep \'^{"k":"platform:platform.customers:\'']);

  const salvage = command.command("salvage").description("recover the readable part of a damaged store");
  salvage.action(run(async (cli) => (await import("../storage/salvage.ts")).salvageStorage(cli)));
  examples(salvage, ["cp -a data data.damaged && platform storage salvage --yes"]);

  const compact = command.command("compact").description("rewrite the data so that no erased data remains");
  compact.action(
    run(async (cli) => cli.out.value(await post(cli, "/storage/compact", {}, { isLong: true }))),
  );
  examples(compact, ["platform storage compact"]);
};

function defineCopies(command: Parameters<Define>[0], run: Parameters<Define>[1]): void {
  const adopt = command.command("adopt").description("accept a store that replaced another one");
  adopt.action(run(async (cli) => (await import("../storage/adopt.ts")).adoptStorage(cli)));
  examples(adopt, ["platform storage adopt --yes"]);

  const backup = command
    .command("backup")
    .description("write a consistent copy while the service is running");
  backup
    .option("-o, --output <file>", "write to this file, atomically (.gz is compressed); - is stdout", "-")
    .action(run(async (cli, input) => (await import("../storage/backup.ts")).backupStorage(cli, input)));
  examples(backup, [
    "platform storage backup -o shop.ndjson.gz",
    "platform storage backup | zstd > shop.zst",
  ]);

  const restore = command.command("restore").description("fill an empty store from a backup");
  restore
    .argument("[file]", "a backup, or the name of a scheduled one; - is stdin; without it, lists them")
    .option("--from <target>", "folder or s3:// URL of scheduled backups; default: backup.to")
    .option("--identity <file>", "age identity file, for an encrypted backup")
    .option("--force", "replace the existing data, after copying it")
    .option("--confirm <name>", "with --force: name of the folder, host or bucket")
    .action(run(async (cli, input) => (await import("../storage/restore.ts")).restoreStorage(cli, input)));
  examples(restore, [
    "platform storage restore shop.ndjson.gz",
    "platform storage restore --from /mnt/backups",
    "platform storage restore platform-2026-06-01T02-00-00-000Z.ndjson.gz.age --identity key.txt",
    "zstd -d < shop.zst | platform storage restore -",
  ]);
}

async function verifyStorage(cli: Cli, { options }: Input): Promise<number> {
  const fix = flag(options, "fix");
  if (fix) await cli.ask.confirm("Remove invalid index entries and add missing ones?");
  const result = await post(cli, "/storage/verify", { fix }, { isLong: true });
  if (cli.out.isJson) await cli.out.value(result);
  else
    await cli.out.list(objectsOf(result.problems), [
      ["KEY", "key"],
      ["PROBLEM", "problem"],
      ["FIXED", "fixed"],
    ]);
  const fixed = fix ? `, ${textOf(result, "fixed_count")} of them repaired` : "";
  cli.out.info(
    `${textOf(result, "documents")} documents read, ${textOf(result, "problem_count")} problems${fixed}.`,
  );
  return result.ok === true ? EXIT.ok : EXIT.findings;
}

async function showInfo(cli: Cli): Promise<void> {
  const info = await getOne(cli, "/storage/info");
  if (cli.out.isJson) return cli.out.value(info);
  const rows = objectsOf(info.partitions).flatMap((partition) =>
    objectsOf(partition.collections)
      // Index entries are included in the JSON document only.
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
  const nodes = textOf(info, "nodes") === "many" ? "any number of nodes" : "one process";
  cli.out.info(`Driver ${textOf(info, "driver")} (${textOf(info, "location")}), for ${nodes}.`);
  cli.out.info(`Rate limits are counted ${textOf(info, "limits")}.`);
  cli.out.info(`${[`${textOf(info, "documents")} documents`, ...stats].join(", ")}.`);
  if (textOf(info, "frozen") !== "")
    cli.out.info(`The store does not accept writes: ${textOf(info, "frozen")}.`);
}

async function thawStorage(cli: Cli): Promise<void> {
  const frozen = textOf(await getOne(cli, "/storage/info"), "frozen");
  if (frozen === "") {
    cli.out.info("The store already accepts writes.");
    return cli.out.value({ frozen: false });
  }
  await cli.ask.confirm(
    `The store does not accept writes: ${frozen}. Accept writes again? They will not be in the copy.`,
  );
  await cli.out.value(await post(cli, "/storage/thaw"));
}

async function exportAll(cli: Cli, { options }: Input): Promise<void> {
  const response = await openStream(await cli.connect(), "/storage/export", "application/x-ndjson");
  const file = text(options, "output") ?? "-";
  const { jq } = cli.globals;
  const chunks = jq === undefined ? response.chunks : filterLines(response.chunks, jq);
  if (file === "-") {
    await cli.out.copy(chunks);
    return;
  }
  await writePrivate(resolve(cli.cwd, file), chunks);
  cli.out.info(`Written to ${file}.`);
}

/** Whole lines of JSON through a jq filter, as they arrive. */
async function* filterLines(chunks: AsyncIterable<Uint8Array>, filter: string): AsyncGenerator<Uint8Array> {
  const { runJq } = await import("../terminal/jq.ts");
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const end = rest.lastIndexOf("\n") + 1;
    if (end > 0) yield Buffer.from(await runJq(rest.slice(0, end), filter));
    rest = rest.slice(end);
  }
  if (rest !== "") yield Buffer.from(await runJq(rest, filter));
}
