import { appendFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { CallOptions, Request, Sender } from "./call-options.ts";
import { isTabular, printHead } from "./call-options.ts";
import type { Cli } from "../command/command.ts";
import type { Api } from "../command/api.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { isObject, member } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { nextCursor, readAnswer } from "../client/answer.ts";
import { toFailure } from "../client/operator.ts";
import { toJson } from "../terminal/output.ts";
import { cleanText } from "../../server/lib/terminal-text.ts";

interface Paged {
  readonly request: Request;
  readonly sender: Sender;
  readonly options: CallOptions;
}

/**
 * All pages of a list. As one document: `data` of all pages as one list, `meta` of the last page with the number of pages
 * and items; `--jq` sees that whole document. With `--ndjson` each item is a line as soon as its page arrives, and
 * `--jq` sees one item at a time.
 */
export async function printPages(cli: Cli, api: Api, paged: Paged): Promise<number> {
  const sink = openSink(cli, paged.options);
  const all: unknown[] = [];
  let meta: JsonObject = {};
  let pages = 0;
  let count = 0;
  for await (const page of readPages(cli, api, paged)) {
    pages += 1;
    count += page.items.length;
    meta = page.meta;
    if (paged.options.ndjson) await sink.write(page.items.map((item) => `${toJson(item)}\n`).join(""));
    else all.push(...page.items);
  }
  if (isTabular(cli, paged.options, { failed: false, json: { data: all } }) && !paged.options.ndjson) {
    const { printRows } = await import("./table.ts");
    await printRows(cli, all, {});
  } else if (!paged.options.ndjson) {
    const indent = cli.io.stdout.isTTY === true && cli.globals.jq === undefined ? 2 : undefined;
    await sink.write(`${toJson({ data: all, meta: { ...meta, pages, items: count } }, indent)}\n`);
  }
  sink.close(`${count} items from ${pages} pages`);
  return EXIT.ok;
}

interface ListPage {
  readonly items: readonly unknown[];
  readonly meta: JsonObject;
}

async function* readPages(cli: Cli, api: Api, { request, sender, options }: Paged): AsyncGenerator<ListPage> {
  let path = request.path;
  let cursor = "";
  for (;;) {
    const response = await sender({ ...request, path });
    if (options.include) printHead(cli, response);
    const { json: answer } = await readAnswer(api, request, response);
    if (response.status >= 400) throw toFailure(api, request, response, answer);
    const items = member(answer, "data");
    const meta = member(answer, "meta");
    if (!Array.isArray(items)) throw usageError(`${request.path} does not return a list.`, "remove --all");
    yield { items, meta: isObject(meta) ? meta : {} };
    cursor = nextCursor(api, request, { answer, before: cursor });
    if (cursor === "") return;
    path = withCursor(request.path, cursor);
  }
}

/** Writes JSON through the filter to stdout or into a file. */
function openSink(cli: Cli, { output, silent }: CallOptions) {
  const file = output === undefined || output === "-" ? null : resolve(cli.cwd, output);
  if (file !== null) writeFileSync(file, "");
  return {
    async write(json: string): Promise<void> {
      const { jq } = cli.globals;
      const text =
        jq === undefined || json === "" ? json : await (await import("../terminal/jq.ts")).runJq(json, jq);
      if (file !== null) appendFileSync(file, text);
      else if (!silent) await cli.out.write(cli.io.stdout.isTTY === true ? cleanText(text) : text);
    },
    close(what: string): void {
      if (file !== null) cli.out.info(`${what} written to ${output ?? ""}`);
    },
  };
}

function withCursor(path: string, cursor: string): string {
  const [bare = "", search = ""] = path.split("?", 2);
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return `${bare}?${query.toString()}`;
}
