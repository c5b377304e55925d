import { resolve } from "node:path";

import type { LoadedConfig } from "../../server/config/load.ts";
import type { Api, ApiRequest, ApiResponse, Caller } from "../command/api.ts";
import type { Cli } from "../command/command.ts";
import { readTextFile } from "../command/text-file.ts";
import { parseDuration, timerMs } from "../terminal/duration.ts";
import { assertServiceResponse } from "./answer.ts";
import { CliError, EXIT, Interrupted } from "../terminal/exit.ts";
import { assertStore, openLocal } from "./local.ts";
import { maskKey } from "./profiles.ts";
import { findSecrets, findTarget, runningServerOf } from "./target.ts";
import type { Secrets, Target } from "./target.ts";
import { createAppWire, createSocketWire } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** Connects to the target of a command: a remote service, a running server, or the storage in this process. */
export async function openApi(cli: Cli): Promise<Api> {
  const place = await findPlace(cli);
  const { target, secrets, store } = place;
  const running = await openRunning(cli, place);
  if (running !== null || target.kind === "remote") return running ?? serverStopped();
  const { storage } = target.loaded.config;
  const { describeStore } = await import("../../server/storage/describe.ts");
  await assertStore(cli.cwd, target.loaded);
  cli.out.info(`Store: ${storage.driver} ${describeStore(storage)}, opened by this command.`);
  const local = await openLocal(target.loaded, {
    ...cli,
    waitMs: parseDuration(cli.globals.timeout, "--timeout"),
    isServed: () => runningServerOf(target) !== null,
    print: (text) => cli.out.info(text.trimEnd()),
  });
  if (local === null) return (await openRunning(cli, place)) ?? serverStopped();
  return createApi(cli, {
    url: local.url,
    label: `storage ${target.loaded.config.storage.driver} in this process`,
    secrets: { ...secrets, token: local.token },
    store,
    wire: await createAppWire(local.fetch),
    close: () => local.close(),
  });
}

/**
 * A running service: remote, or the server of this folder; null if none is running.
 * For streams: opening the storage in this process would show nothing and prevent a server from starting.
 */
export const openRunningApi = async (cli: Cli): Promise<Api | null> => openRunning(cli, await findPlace(cli));

/** To the server of this folder; over HTTPS its certificate is compared with the file. */
export async function wireTo(url: string, loaded: LoadedConfig): Promise<Wire> {
  if (!url.startsWith("https:")) return createSocketWire();
  const { certificateOf } = await import("./pinned.ts");
  return createSocketWire({ certificateFile: certificateOf(loaded) });
}

interface Place {
  readonly target: Target;
  readonly secrets: Secrets;
  readonly store: string;
}

async function findPlace(cli: Cli): Promise<Place> {
  const target = await findTarget(cli);
  const secrets = await findSecrets(cli, target);
  return { target, secrets, store: cli.globals.store ?? target.profile?.store ?? "" };
}

async function openRunning(cli: Cli, { target, secrets, store }: Place): Promise<Api | null> {
  if (target.kind === "remote") {
    return createApi(cli, { url: target.url, label: target.label, secrets, store });
  }
  const server = runningServerOf(target);
  if (server === null) return null;
  return createApi(cli, {
    url: server.url,
    label: `${server.url} (server of this folder, process ${server.pid})`,
    secrets: { ...secrets, token: server.token },
    store,
    wire: await wireTo(server.url, target.loaded),
  });
}

function serverStopped(): never {
  throw unreachable("the server of this folder", "The server stopped while this command started.");
}

interface Link {
  readonly url: string;
  readonly label: string;
  readonly secrets: Secrets;
  readonly store: string;
  /** Transport of the requests; default: a socket. */
  readonly wire?: Wire;
  readonly close?: () => Promise<void>;
}

export function createApi(cli: Cli, link: Link): Api {
  const wire = link.wire ?? createSocketWire({ env: cli.io.env, caFile: caFileOf(cli) });
  const timeoutMs = parseDuration(cli.globals.timeout, "--timeout");
  cli.out.debug(`target ${link.label}`);

  function headersFor(as: Caller): Record<string, string> {
    if (as === "anonymous") return {};
    if (as === "operator") return { authorization: `Bearer ${needToken(link)}` };
    const store = link.store === "" ? {} : { "x-service-store": link.store };
    return { authorization: `Bearer ${needKey(link)}`, ...store };
  }

  async function send(request: ApiRequest): Promise<ApiResponse> {
    const { method, path, as, headers, body, signal, isLong = false, isLast = false } = request;
    const began = cli.clock.now();
    const sent = { ...headersFor(as), ...headers };
    const deadline = createDeadline();
    if (!isLong) deadline.start(timeoutMs);
    const toError = (error: unknown): Error => {
      deadline.stop();
      if (error instanceof CliError) return error;
      if (cli.signal.aborted) return new Interrupted(Number(cli.signal.reason));
      return unreachable(link.label, reasonOf(deadline.reason() ?? error, timeoutMs), error);
    };
    try {
      const response = await wire({
        url: link.url + path,
        method,
        headers: sent,
        body,
        signal: AbortSignal.any([
          deadline.signal,
          ...(isLast ? [] : [cli.signal]),
          ...(signal === undefined ? [] : [signal]),
        ]),
      });
      const { status, statusText, headers: received } = response;
      cli.out.debug(`${method} ${path} ${describe(sent)} → ${status} in ${cli.clock.now() - began} ms`);
      assertServiceResponse(link, { ...request, headers: sent }, response);
      const silenceMs = silenceOf(received.get("content-type") ?? "", { isLong, timeoutMs });
      return {
        status,
        statusText,
        headers: received,
        chunks: read(response.chunks, { deadline, silenceMs, toError }),
      };
    } catch (error) {
      // Determine the cause first: closing the connection also aborts the signal.
      const failure = toError(error);
      deadline.cut();
      throw failure;
    }
  }

  return {
    url: link.url,
    label: link.label,
    isInProcess: link.close !== undefined,
    send,
    headersFor,
    close: async () => link.close?.(),
  };
}

/** The file of --cacert; one that cannot be read is a usage error. */
function caFileOf(cli: Cli): string | undefined {
  const { cacert } = cli.globals;
  if (cacert === undefined) return undefined;
  readTextFile(cli, cacert);
  return resolve(cli.cwd, cacert);
}

/** Timeout of one request, or of the next chunk of its body. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Reason of the abort; undefined if not aborted. */
  reason(): unknown;
  start(ms: number): void;
  stop(): void;
  /** Closes the connection. */
  cut(): void;
}

function createDeadline(): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    reason: () => (controller.signal.aborted ? controller.signal.reason : undefined),
    start(ms) {
      stop();
      timer = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), timerMs(ms)).unref();
    },
    stop,
    cut: () => controller.abort(),
  };
}

/** Event streams send a heartbeat every 15 seconds. */
const STREAM_SILENCE_MS = 45_000;

/** Longest pause between chunks of a body without a total timeout; null for bodies with one. */
function silenceOf(
  type: string,
  { isLong, timeoutMs }: { isLong: boolean; timeoutMs: number },
): number | null {
  if (type.startsWith("text/event-stream")) return Math.max(timeoutMs, STREAM_SILENCE_MS);
  return isLong || type.startsWith("application/x-ndjson") ? timeoutMs : null;
}

/** The body; time spent by the reader does not count. */
async function* read(
  chunks: AsyncIterable<Uint8Array>,
  on: { deadline: Deadline; silenceMs: number | null; toError: (error: unknown) => Error },
): AsyncGenerator<Uint8Array> {
  const { deadline, silenceMs, toError } = on;
  const wait = (): void => (silenceMs === null ? undefined : deadline.start(silenceMs));
  try {
    wait();
    for await (const chunk of chunks) {
      if (silenceMs !== null) deadline.stop();
      yield chunk;
      wait();
    }
  } catch (error) {
    throw toError(error);
  } finally {
    deadline.stop();
  }
}

function needKey({ secrets, label }: Link): string {
  if (secrets.key !== null) return secrets.key;
  throw new CliError({
    type: "no_key",
    title: "No API key",
    detail: "This request needs an API key.",
    where: label,
    exitCode: EXIT.unauthorized,
    hint: "platform login, or PLATFORM_API_KEY=…, or --key-file <file>",
  });
}

function needToken({ secrets, label }: Link): string {
  if (secrets.token !== null) return secrets.token;
  throw new CliError({
    type: "no_token",
    title: "No operator token",
    detail: "This command needs an operator token.",
    where: label,
    exitCode: EXIT.unauthorized,
    hint: "PLATFORM_ADMIN_TOKEN=…, or platform login with that token",
  });
}

const describe = (headers: Readonly<Record<string, string>>): string => {
  const bearer = headers.authorization?.replace(/^Bearer /, "") ?? "";
  return bearer === "" ? "(no key)" : `(${maskKey(bearer)})`;
};

const unreachable = (where: string, why: string, cause?: unknown): CliError =>
  new CliError({
    type: "unreachable",
    title: "Cannot reach the service",
    detail: why,
    where,
    exitCode: EXIT.unreachable,
    hint: /certificate/i.test(why)
      ? "--cacert <file> with the certificate of a private authority"
      : "platform serve (is it running?), --url, platform doctor",
    ...(cause === undefined ? {} : { cause }),
  });

/** The innermost cause: `ECONNREFUSED`, a TLS error, the timeout. */
function reasonOf(error: unknown, timeoutMs: number): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  if (!(reason instanceof Error)) return "The connection failed.";
  if (reason.name === "TimeoutError") return `No response within ${timeoutMs / 1000} s.`;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : "";
  if (code === "ECONNREFUSED") return "Connection refused: nothing is listening at this address.";
  if (code === "ENOTFOUND") return "Host not found.";
  return reason.message === "" ? code : reason.message;
}
