import { signedHeaders } from "../../server/core/standard-webhooks.ts";
import { readAnswer } from "../client/answer.ts";
import { openRunningApi } from "../client/connect.ts";
import { exchange, rawAnswer, toFailure } from "../client/operator.ts";
import type { Api, ApiRequest } from "../command/api.ts";
import type { Cli, Input } from "../command/command.ts";
import { text, texts } from "../command/globals.ts";
import { countOf, endAfter, pause } from "../terminal/duration.ts";
import { CliError, EXIT, Interrupted, usageError } from "../terminal/exit.ts";
import { member, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { readEvents } from "./sse.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** Like a receiver behind a URL. */
const TIMEOUT_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Pause after a 429. */
const BUSY_MS = 5_000;

const PATH = "/v1/account/webhooks";

interface Listener {
  readonly path: string;
  readonly secret: string;
  readonly forwardTo: string;
  readonly stop: AbortSignal;
  /** Number of deliveries left. */
  left: number;
}

/**
 * Creates a listener with the API key, forwards its deliveries to a local server until SIGINT, `--for` or `--count`, and deletes
 * it. A delivery whose result could not be reported is forwarded again under the same `webhook-id`.
 */
export async function listenWebhooks(cli: Cli, { options }: Input): Promise<number> {
  const forwardTo = urlOf(text(options, "forwardTo"));
  const types = texts(options, "type");
  const end = endAfter(text(options, "for"));
  const left = countOf(text(options, "count"));
  const api = await openApi(cli);
  const body = { description: "platform webhooks listen", ...(types.length === 0 ? {} : { types }) };
  const created = member(await exchange(api, requestOf("POST", PATH, body)), "data");
  const [id, secret] = [textOf(created, "id"), textOf(created, "secret")];
  cli.out.info(`Listening on ${api.label} as ${id}, forwarding to ${forwardTo}.`);
  cli.out.info(`Secret of the signatures: ${secret}`);
  const stop = AbortSignal.any([cli.signal, end]);
  const listener = { path: `${PATH}/${id}`, secret, forwardTo, stop, left };
  try {
    await listenUntilStopped(cli, listener);
  } finally {
    await removeListener(await openApi(cli), listener);
  }
  return EXIT.ok;
}

function urlOf(forwardTo = ""): string {
  if (URL.canParse(forwardTo) && /^https?:$/.test(new URL(forwardTo).protocol)) return forwardTo;
  throw usageError(
    `--forward-to ${JSON.stringify(forwardTo)} is not an http URL.`,
    "http://127.0.0.1:3000/hooks",
  );
}

async function openApi(cli: Cli): Promise<Api> {
  const api = await openRunningApi(cli);
  if (api !== null) return api;
  throw new CliError({
    type: "unreachable",
    title: "No server is running",
    detail: "No server is running in this folder.",
    exitCode: EXIT.unreachable,
    hint: "platform serve, --url, --profile",
  });
}

const requestOf = (method: string, path: string, body?: JsonObject): ApiRequest => ({
  method,
  path,
  as: "key",
  ...(body === undefined
    ? {}
    : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
});

async function removeListener(api: Api, { path }: Listener): Promise<void> {
  const request = {
    ...requestOf("DELETE", path),
    answers: { kind: "empty", types: [] },
    isLast: true,
  } as const;
  // The server deletes it after an hour without a reader.
  await exchange(api, request).catch(() => undefined);
}

async function listenUntilStopped(cli: Cli, listener: Listener): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  let isLost = false;
  while (!listener.stop.aborted && listener.left > 0) {
    const lost = await readOnce(cli, listener, () => {
      if (isLost) cli.out.info("Reconnected. Pending deliveries are sent again.");
      isLost = false;
      pauseMs = FIRST_PAUSE_MS;
    });
    if (lost === null || listener.stop.aborted) continue;
    if (!isLost) cli.out.info(`${lost} Reconnecting.`);
    isLost = true;
    await pause(pauseMs, listener.stop);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

/** One connection. Returns why it was lost; null for one that the server ended in order. */
async function readOnce(cli: Cli, listener: Listener, onReady: () => void): Promise<string | null> {
  const cut = new AbortController();
  try {
    const api = await openApi(cli);
    const request = {
      ...requestOf("GET", `${listener.path}/stream`),
      headers: { accept: "text/event-stream" },
      answers: rawAnswer("text/event-stream"),
      signal: AbortSignal.any([listener.stop, cut.signal]),
    };
    const response = await api.send(request);
    if (response.status >= 400) {
      const { json } = await readAnswer(api, request, response);
      if (response.status < 500 && response.status !== 429) throw toFailure(api, request, response, json);
      return `The server returned ${response.status}.`;
    }
    for await (const { event, data } of readEvents(response.chunks)) {
      if (event === "ready") onReady();
      if (event === "delivery") await forward(cli, api, { listener, delivery: parseJson(data) });
      if (listener.stop.aborted || listener.left <= 0) break;
    }
    return null;
  } catch (error) {
    if (listener.stop.aborted || error instanceof Interrupted) return null;
    if (error instanceof CliError && error.failure.type === "unreachable") return error.failure.detail;
    throw error;
  } finally {
    cut.abort();
  }
}

/** Posts a delivery as the service posts to a URL, prints the result and reports it. */
async function forward(
  cli: Cli,
  api: Api,
  { listener, delivery }: { readonly listener: Listener; readonly delivery: unknown },
): Promise<void> {
  const { secret, forwardTo } = listener;
  const [id, eventId, type] = ["id", "event_id", "event_type"].map((name) => textOf(delivery, name));
  const body = textOf(delivery, "body");
  const startedMs = cli.clock.now();
  const headers = {
    "content-type": "application/json",
    "user-agent": "storefront-platform-webhooks/1",
    ...signedHeaders({ id: eventId ?? "", timestamp: Math.floor(startedMs / 1000), body }, [secret]),
  };
  const result = await post(forwardTo, { headers, body });
  const duration_ms = Math.max(0, cli.clock.now() - startedMs);
  const printed = { event_id: eventId, type, ...result, duration_ms };
  await cli.out.event(printed, [
    type ?? "",
    eventId ?? "",
    result.error ?? String(result.status),
    `${duration_ms} ms`,
  ]);
  listener.left -= 1;
  await report(api, listener, {
    path: `${listener.path}/deliveries/${id ?? ""}/result`,
    body: { ...result, duration_ms },
  });
}

async function post(
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): Promise<{ readonly status: number | null; readonly error: string | null }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...request, method: "POST", redirect: "manual", signal });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { status: null, error: String(cause instanceof Error ? cause.message : cause).slice(0, 300) };
  }
}

/** Waits where the rate limit of the key is reached. Without a report the delivery is sent again on the next connection. */
async function report(
  api: Api,
  { stop }: Listener,
  { path, body }: { readonly path: string; readonly body: JsonObject },
): Promise<void> {
  const request = { ...requestOf("POST", path, body), isLast: true };
  for (;;) {
    const response = await api.send(request);
    const { json } = await readAnswer(api, request, response);
    if (response.status < 400) return;
    if (response.status !== 429 || stop.aborted) throw toFailure(api, request, response, json);
    await pause(BUSY_MS, stop);
  }
}

/** Sends the example of an event type to the endpoints of the key's store that receive this type. */
export async function triggerWebhook(cli: Cli, { args: [type = ""] }: Input): Promise<void> {
  const { wantsEvent } = await import("../../server/core/events.ts");
  const { objectsOf } = await import("../terminal/json.ts");
  const api = await cli.connect();
  const listed = await exchange(api, requestOf("GET", `${PATH}?limit=100`));
  const takers = objectsOf(member(listed, "data")).filter(
    (endpoint) => endpoint.status === "enabled" && wantsEvent(typesOf(endpoint), type),
  );
  const sent: JsonObject[] = [];
  for (const endpoint of takers) {
    const id = textOf(endpoint, "id");
    try {
      const answer = await exchange(api, requestOf("POST", `${PATH}/${id}/test`, { type }));
      sent.push({
        endpoint_id: id,
        url: textOf(endpoint, "url"),
        delivery_id: textOf(member(answer, "data"), "id"),
      });
    } catch (error) {
      if (!(error instanceof CliError) || error.failure.status !== 409) throw error;
      cli.out.warn(`${id}: ${error.failure.detail}`);
    }
  }
  if (sent.length === 0)
    throw usageError(
      `No endpoint of this store receives test events of type ${type}.`,
      "platform webhooks listen --forward-to <url>",
    );
  await cli.out.list(sent, [
    ["ENDPOINT", "endpoint_id"],
    ["DELIVERY", "delivery_id"],
    ["URL", "url"],
  ]);
}

const typesOf = (endpoint: JsonObject): string[] =>
  Array.isArray(endpoint.types) ? endpoint.types.filter((one) => typeof one === "string") : [];
