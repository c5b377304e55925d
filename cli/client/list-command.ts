import type { Command } from "commander";

import type { Cli, Input, Run } from "../command/command.ts";
import { flag, text } from "../command/globals.ts";
import { getList, printMoreHint } from "./operator.ts";
import type { Query } from "./operator.ts";
import type { Column } from "../terminal/output.ts";

/** Adds the options that every list has. */
export const addPaging = (command: Command): Command =>
  command
    .option("--limit <n>", "items per page (1 to 100)")
    .option("--cursor <cursor>", "cursor of the next page")
    .option("--all", "fetch all pages and merge them into one list");

/** The action of a command that prints a list of the operator's API. */
export function listAction(
  run: Run,
  source: {
    path: string | ((input: Input) => string);
    query: (input: Input, cli: Cli) => Query | Promise<Query>;
    columns: readonly Column[];
  },
) {
  return run(async (cli, input) => {
    const { options } = input;
    const path = typeof source.path === "string" ? source.path : source.path(input);
    const listed = await getList(cli, path, await source.query(input, cli), {
      limit: text(options, "limit"),
      cursor: text(options, "cursor"),
      all: flag(options, "all"),
    });
    await cli.out.list(listed.items, source.columns, listed.meta);
    printMoreHint(cli, listed);
  });
}
