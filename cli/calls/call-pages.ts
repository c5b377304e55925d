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
import { writeWhole } from "../terminal/whole-file.ts";
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
  const { options } = paged;
  const { output, silent } = options;
  if (!options.ndjson && isTabular(cli, options, { failed: false, json: { data: [] } })) {
    const { printRows } = await import("./table.ts");
    const items: unknown[] = [];
    for await (const page of readPages(cli, api, paged)) items.push(...page.items);
    await printRows(cli, items, {});
    return EXIT.ok;
  }
  const sum = { pages: 0, items: 0 };
  const texts = textsOf(cli, api, paged, sum);
  if (output !== undefined && output !== "-") {
    await writeWhole(resolve(cli.cwd, output), texts);
    cli.out.info(`${sum.items} items from ${sum.pages} pages written to ${output}`);
    return EXIT.ok;
  }
  const isTerminal = cli.io.stdout.isTTY === true;
  for await (const text of texts) if (!silent) await cli.out.write(isTerminal ? cleanText(text) : text);
  return EXIT.ok;
}

/** What is printed of the pages, after the filter. Counts them. */
async function* textsOf(
  cli: Cli,
  api: Api,
  paged: Paged,
  sum: { pages: number; items: number },
): AsyncGenerator<string> {
  const { jq } = cli.globals;
  const filter = async (json: string): Promise<string> =>
    jq === undefined || json === "" ? json : (await import("../terminal/jq.ts")).runJq(json, jq);
  const all: unknown[] = [];
  let meta: JsonObject = {};
  for await (const page of readPages(cli, api, paged)) {
    sum.pages += 1;
    sum.items += page.items.length;
    meta = page.meta;
    if (paged.options.ndjson) yield filter(page.items.map((item) => `${toJson(item)}\n`).join(""));
    else all.push(...page.items);
  }
  if (paged.options.ndjson) return;
  const indent = cli.io.stdout.isTTY === true && jq === undefined ? 2 : undefined;
  yield filter(`${toJson({ data: all, meta: { ...meta, ...sum } }, indent)}\n`);
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

function withCursor(path: string, cursor: string): string {
  const [bare = "", search = ""] = path.split("?", 2);
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return `${bare}?${query.toString()}`;
}
