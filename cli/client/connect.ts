import type { LoadedConfig } from "../../server/config/load.ts";
import type { Api, ApiRequest, ApiResponse, Speaker } from "../command/api.ts";
import type { Cli } from "../command/command.ts";
import { parseDuration } from "../terminal/duration.ts";
import { assertOurs } from "./answer.ts";
import { CliError, EXIT, Interrupted } from "../terminal/exit.ts";
import { assertStore, openLocal } from "./local.ts";
import { maskKey } from "./profiles.ts";
import { findSecrets, findTarget, runningServerOf } from "./target.ts";
import type { Secrets, Target } from "./target.ts";
import { createAppWire, createSocketWire } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** Opens the target of a command. The same code path serves all three: only the fetch function differs. */
export async function openApi(cli: Cli): Promise<Api> {
  const place = await findPlace(cli);
  const { target, secrets, store } = place;
  const running = await openRunning(cli, place);
  if (running !== null || target.kind === "remote") return running ?? vanished();
  const { storage } = target.loaded.config;
  const { describeStore } = await import("../../server/storage/describe.ts");
  await assertStore(cli.cwd, target.loaded);
  cli.out.talk(`Store: ${storage.driver} ${describeStore(storage)}, opened by this command.`);
  const local = await openLocal(target.loaded, {
    ...cli,
    waitMs: parseDuration(cli.globals.timeout, "--timeout"),
    isServed: () => runningServerOf(target) !== null,
    tell: (text) => cli.out.talk(text.trimEnd()),
  });
  if (local === null) return (await openRunning(cli, place)) ?? vanished();
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
 * A service that somebody else keeps running: far away, or the server of this folder; null when none runs here.
 * For streams: opening the storage instead would show nothing and keep a server from starting.
 */
export const openRunningApi = async (cli: Cli): Promise<Api | null> => openRunning(cli, await findPlace(cli));

/** To the server of this folder: over HTTPS its certificate is known, not vouched for. */
export async function wireTo(url: string, loaded: LoadedConfig): Promise<Wire> {
  if (!url.startsWith("https:")) return createSocketWire();
  const { certificateOf } = await import("./pinned.ts");
  return createSocketWire(certificateOf(loaded));
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

function vanished(): never {
  throw unreachable("the server of this folder", "It went away while this command began.");
}

interface Link {
  readonly url: string;
  readonly label: string;
  readonly secrets: Secrets;
  readonly store: string;
  /** How requests get there; over a socket unless told. */
  readonly wire?: Wire;
  readonly close?: () => Promise<void>;
}

export function createApi(cli: Cli, link: Link): Api {
  const wire = link.wire ?? createSocketWire();
  const timeoutMs = parseDuration(cli.globals.timeout, "--timeout");
  cli.out.debug(`target ${link.label}`);

  function headersFor(as: Speaker): Record<string, string> {
    if (as === "nobody") return {};
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
      assertOurs(link, { ...request, headers: sent }, response);
      const silenceMs = silenceOf(received.get("content-type") ?? "", { isLong, timeoutMs });
      return {
        status,
        statusText,
        headers: received,
        chunks: read(response.chunks, { deadline, silenceMs, toError }),
      };
    } catch (error) {
      // The cause first: closing the connection aborts the signal as well.
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

/** The longest wait for one request: for all of it, or for the next piece of a body. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Why the signal is aborted; undefined while it is not. */
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
      timer = setTimeout(() => controller.abort(new DOMException("", "TimeoutError")), ms).unref();
    },
    stop,
    cut: () => controller.abort(),
  };
}

/** The heartbeat of an event stream comes every 15 seconds. */
const STREAM_SILENCE_MS = 45_000;

/** How long a body that may last as long as it likes may be silent; null for one that has to end in time. */
function silenceOf(
  type: string,
  { isLong, timeoutMs }: { isLong: boolean; timeoutMs: number },
): number | null {
  if (type.startsWith("text/event-stream")) return Math.max(timeoutMs, STREAM_SILENCE_MS);
  return isLong || type.startsWith("application/x-ndjson") ? timeoutMs : null;
}

/** The body; the time that its reader takes does not count. */
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
    detail: "This call needs an API key and none was given.",
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
    detail: "This command is the operator's and no operator token was given.",
    where: label,
    exitCode: EXIT.unauthorized,
    hint: "PLATFORM_ADMIN_TOKEN=…, or platform login with a plat_admin_ token",
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
    hint: "platform serve (is it running?), --url, platform doctor",
    ...(cause === undefined ? {} : { cause }),
  });

/** The innermost cause that has a name: `ECONNREFUSED`, a TLS error, the time-out. */
function reasonOf(error: unknown, timeoutMs: number): string {
  let reason = error;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  if (!(reason instanceof Error)) return "The connection failed.";
  if (reason.name === "TimeoutError") return `No answer within ${timeoutMs / 1000} s.`;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : "";
  if (code === "ECONNREFUSED") return "The connection was refused: nothing listens there.";
  if (code === "ENOTFOUND") return "There is no such host.";
  return reason.message === "" ? code : reason.message;
}
