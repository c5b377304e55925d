import { resolve } from "node:path";
import { Readable } from "node:stream";

import type { Cli } from "../command/command.ts";
import type { Api, ApiResponse } from "../command/api.ts";
import { isTabular, printHead } from "./call-options.ts";
import type { CallOptions, Request, Sender } from "./call-options.ts";
import { encodeForm } from "./multipart.ts";
import { parseDuration, pause } from "../terminal/duration.ts";
import { CliError, EXIT, exitCodeOf, usageError } from "../terminal/exit.ts";
import { hasForm, readAnswer, readBody } from "../client/answer.ts";
import { toFailure } from "../client/operator.ts";
import { toJson } from "../terminal/output.ts";
import { writeWhole } from "../terminal/whole-file.ts";
import type { RequestPlan } from "./request-plan.ts";
import { parseJson } from "../../server/lib/parse-json.ts";
import { cleanText } from "../../server/lib/terminal-text.ts";
import { maskKey } from "../client/profiles.ts";

/** Sends a request and prints the response; the status determines the exit code. */
export async function performCall(cli: Cli, plan: RequestPlan, options: CallOptions): Promise<number> {
  const api = await cli.connect();
  const form = plan.form === undefined ? undefined : encodeForm(plan.form);
  const type = form?.type ?? (plan.body === undefined ? undefined : "application/json");
  const request = { ...plan, body: form?.body ?? plan.body, headers: headersOf(cli, type, options) };
  if (options.dryRun) {
    await cli.out.write(`${toCurl(api, request, options.showSecrets)}\n`);
    return EXIT.ok;
  }
  const sender = createSender(cli, api, options);
  if (options.all || options.ndjson) {
    const { printPages } = await import("./call-pages.ts");
    return printPages(cli, api, { request, sender, options });
  }
  const response = await sender(request);
  if (options.include) printHead(cli, response);
  return printAnswer(cli, api, { request, response, options });
}

function headersOf(
  cli: Cli,
  type: string | undefined,
  { headers, idempotencyKey }: CallOptions,
): Record<string, string> {
  const made: Record<string, string> = type === undefined ? {} : { "content-type": type };
  if (idempotencyKey !== undefined) {
    const key = idempotencyKey === "auto" ? crypto.randomUUID() : idempotencyKey;
    if (idempotencyKey === "auto") cli.out.info(`Idempotency-Key: ${key}`);
    made["idempotency-key"] = key;
  }
  return { ...made, ...Object.fromEntries(headers) };
}

const RETRY_PAUSE_MS = 500;
/** A server that asks for a longer pause before a retry gets none. */
const RETRY_PAUSE_MAX_MS = 60_000;

/** Retries only if requested and safe: a write without an idempotency key could happen twice. */
function createSender(
  cli: Cli,
  api: Api,
  { retry = "0", wait, all, ndjson, idempotencyKey }: CallOptions,
): Sender {
  if (!/^\d{1,2}$/.test(retry)) throw usageError(`--retry ${JSON.stringify(retry)} is not a number.`);
  const maxWaitMs = wait !== undefined ? parseDuration(wait, "--wait-on-429") : all || ndjson ? 60_000 : 0;
  return async (request) => {
    const isSafe = ["GET", "HEAD"].includes(request.method) || idempotencyKey !== undefined;
    let left = isSafe ? Number(retry) : 0;
    let waited = false;
    for (;;) {
      const response = await api.send(request).catch((error: unknown) => {
        if (left === 0 || !(error instanceof CliError) || error.failure.type !== "unreachable") throw error;
        return error;
      });
      const pauseMs = response instanceof CliError ? RETRY_PAUSE_MS : retryPauseOf(response);
      if (response instanceof CliError || (left > 0 && pauseMs <= RETRY_PAUSE_MAX_MS)) {
        if (!(response instanceof CliError)) await readBody(response);
        left -= 1;
        const reason = response instanceof CliError ? response.failure.detail : `HTTP ${response.status}.`;
        cli.out.info(`${reason} Retrying${pauseMs > RETRY_PAUSE_MS ? ` in ${pauseMs / 1000} s` : ""}.`);
        await pause(pauseMs, cli.signal);
      } else if (response.status === 429 && !waited && waitOf(response) <= maxWaitMs) {
        await readBody(response);
        // Once: if the request fails again after the window has ended, another limit applies.
        waited = true;
        cli.out.info(`Rate limit reached; retrying in ${Math.ceil(waitOf(response) / 1000)} s.`);
        await pause(waitOf(response), cli.signal);
      } else return response;
    }
  };
}

/** As long as the server asks for; Infinity for what a retry does not change. A 409 names a time while its Idempotency-Key is in use. */
function retryPauseOf({ status, headers }: ApiResponse): number {
  const wait = headers.get("retry-after");
  if (![502, 503, 504].includes(status) && (status !== 409 || wait === null)) return Infinity;
  const ms = Number(wait ?? 0) * 1000;
  return Number.isNaN(ms) ? RETRY_PAUSE_MS : Math.max(RETRY_PAUSE_MS, ms);
}

const waitOf = ({ headers }: ApiResponse): number => Number(headers.get("retry-after") ?? "60") * 1000;

async function printAnswer(
  cli: Cli,
  api: Api,
  { request, response, options }: { request: Request; response: ApiResponse; options: CallOptions },
): Promise<number> {
  const failed = response.status >= 400;
  const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
  if (isStream && !failed && !options.silent) {
    await cli.out.copy(response.chunks);
    return EXIT.ok;
  }
  const { output } = options;
  const toFile = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    const bytes = await writeWhole(resolve(cli.cwd, output ?? ""), chunks);
    cli.out.info(`${bytes} bytes written to ${output}`);
  };
  const filter = failed ? undefined : cli.globals.jq;
  const isForFile = output !== undefined && output !== "-" && !failed;
  if (isForFile && filter === undefined && !hasForm(request, response)) {
    await toFile(response.chunks);
    return EXIT.ok;
  }
  const { body: raw, json } = await readAnswer(api, request, response);
  const body = filter === undefined ? raw : Buffer.from(await filtered(raw, filter));
  if (isForFile) await toFile(Readable.from([body]));
  else if (isTabular(cli, options, { failed, json })) {
    const { printEnvelope } = await import("./table.ts");
    await printEnvelope(cli, json);
  } else if (!options.silent && body.length > 0) {
    await cli.out.write(cli.io.stdout.isTTY === true ? forTerminal(body, filter) : body);
  }
  if (!failed) return EXIT.ok;
  if (options.fail) throw toFailure(api, request, response, json);
  cli.out.info(`HTTP ${response.status} (exit code would be ${exitCodeOf(response.status)})`);
  return EXIT.ok;
}

/** On a terminal, JSON is indented and control characters are removed; in a pipe the bytes are unchanged. */
function forTerminal(body: Buffer, filter: string | undefined): string {
  const text = body.toString("utf8");
  const parsed = filter === undefined ? parseJson(text) : undefined;
  const shown = parsed === undefined ? cleanText(text) : toJson(parsed, 2);
  return shown.endsWith("\n") ? shown : `${shown}\n`;
}

async function filtered(body: Buffer, filter: string): Promise<string> {
  const text = body.toString("utf8");
  if (text !== "" && parseJson(text) === undefined) throw usageError("--jq: the response is not JSON.");
  const { runJq } = await import("../terminal/jq.ts");
  return text === "" ? "" : runJq(text, filter);
}

/** The request as a curl command for a POSIX shell; keys are masked unless `showSecrets`. */
function toCurl(api: Api, request: Request, showSecrets: boolean): string {
  const { authorization, ...own } = api.headersFor(request.as);
  const key = authorization?.replace(/^Bearer /, "") ?? "";
  const bearer = key === "" ? [] : [`Authorization: Bearer ${showSecrets ? key : maskKey(key)}`];
  const headers = Object.entries({ ...own, ...request.headers })
    // curl sets the boundary of a form itself.
    .filter(([name]) => request.form === undefined || name !== "content-type")
    .map(([name, value]) => `${name}: ${value}`);
  const form = (request.form ?? []).flatMap(({ name, value, file }) => [
    ...(file === undefined ? ["--form-string"] : ["-F"]),
    quote(`${name}=${file === undefined ? value : `@${file.path}`}`),
  ]);
  const words = [
    "curl",
    ...(request.method === "GET" ? [] : request.method === "HEAD" ? ["--head"] : ["-X", request.method]),
    quote(api.url + request.path),
    ...[...bearer, ...headers].flatMap((header) => ["-H", quote(header)]),
    ...form,
    ...(typeof request.body === "string" ? ["--data-raw", quote(request.body)] : []),
  ];
  return words.join(" ");
}

/** One word for a POSIX shell. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
