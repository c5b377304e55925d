import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import { createStripeAccount } from "./stripe-account.ts";
import type { StripeAccount } from "./stripe-account.ts";
import { faultsOf } from "./stripe-objects.ts";
import { OPERATIONS, readParams, StripeError } from "./stripe-params.ts";
import type { Fault, Operation } from "./stripe-params.ts";

export interface SeenRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly key: string | null;
}

/** What goes wrong with a request; `effect` tells whether it is carried out nevertheless. */
export type StripeFault =
  | { readonly kind: "status"; readonly status: number; readonly effect: boolean }
  | { readonly kind: "drop"; readonly effect: boolean };

export interface StripeDouble {
  readonly url: string;
  /** The key that is accepted; tests roll it. */
  apiKey: string;
  readonly account: StripeAccount;
  readonly log: SeenRequest[];
  /** Asked before each request; tests replace it. */
  fault: (request: SeenRequest) => StripeFault | null;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly isReplayed?: boolean;
}
interface Kept {
  readonly path: string;
  readonly text: string;
  readonly answer: Answer | null;
  readonly at: number;
}

const DAY_MS = 86_400_000;
const KEY_CHARS = 255;

/**
 * A server in this process that behaves as Stripe's API does where a payment rests on it: objects, parameters and errors of its
 * schema, idempotency keys of API v1 (https://docs.stripe.com/api/idempotent_requests), states of PaymentIntents, signed events.
 * An answer that does not fit the schema fails the request.
 */
export async function startStripeDouble(options: { now?: () => number } = {}): Promise<StripeDouble> {
  const now = options.now ?? Date.now;
  const kept = new Map<string, Kept>();
  const log: SeenRequest[] = [];
  let base = "";
  const account = createStripeAccount(() => base, now);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const url = new URL(request.url ?? "/", base);
    if (!url.pathname.startsWith("/v1/")) return servePage(account, request.method ?? "", url, response);
    const body = Buffer.concat(chunks).toString("utf8");
    const found = findOperation(request.method ?? "", url.pathname);
    const header = request.headers["idempotency-key"];
    const key = typeof header === "string" ? header : null;
    if (found === null) {
      const message = `Unrecognized request URL (${request.method}: ${url.pathname}).`;
      return send(response, problem(404, { type: "invalid_request_error", message }));
    }
    const seen = { operation: found.operation, path: url.pathname, key };
    log.push(seen);
    const fault = double.fault(seen);
    const isDone = fault === null || fault.effect;
    const text = body === "" ? url.search.slice(1) : body;
    const answer = isDone ? answerTo(request, { ...found, path: url.pathname, key, text }) : null;
    if (fault?.kind === "drop") return void response.destroy();
    if (fault?.kind === "status") {
      const sorry = problem(fault.status, {
        type: fault.status === 429 ? "rate_limit_error" : "api_error",
        message: "Sorry!",
      });
      // An error of the server is an answer too: it is repeated for the same key.
      const known = key === null ? undefined : kept.get(key);
      if (key !== null && known !== undefined) kept.set(key, { ...known, answer: sorry });
      return send(response, sorry);
    }
    send(response, answer ?? problem(500, { type: "api_error", message: "Sorry!" }));
  }

  function answerTo(
    request: IncomingMessage,
    {
      operation,
      id,
      path,
      key,
      text,
    }: { operation: Operation; id: string; path: string; key: string | null; text: string },
  ): Answer {
    const type = "invalid_request_error";
    if (request.headers.authorization !== `Bearer ${double.apiKey}`)
      return problem(401, { type, message: "Invalid API Key provided: sk_test_***" });
    if (request.headers["stripe-version"] === undefined)
      return problem(400, { type, message: "The tests pin the version of the API." });
    if (key === null || request.method !== "POST") return carryOut(account, operation, id, text);
    if (key.length > KEY_CHARS)
      return problem(400, { type, message: "Keys for idempotent requests can be at most 255 characters." });
    const known = kept.get(key);
    if (known !== undefined && now() - known.at < DAY_MS) return repeatOf(known, { key, path, text });
    kept.set(key, { path, text, answer: null, at: now() });
    const answer = carryOut(account, operation, id, text);
    // Nothing is kept of a request whose parameters were refused: it was not carried out.
    if (answer.isRefused) kept.delete(key);
    else kept.set(key, { path, text, answer, at: now() });
    return answer;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      send(response, problem(500, { type: "api_error", message: String(error) }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const double: StripeDouble = {
    url: base,
    apiKey: "sk_test_double",
    account,
    log,
    fault: () => null,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return double;
}

function repeatOf(known: Kept, { key, path, text }: { key: string; path: string; text: string }): Answer {
  const hint = `Try using a key other than '${key}' if you meant to execute a different request.`;
  const refused = (message: string): Answer =>
    problem(400, {
      type: "idempotency_error",
      message: `Keys for idempotent requests can only be used ${message} ${hint}`,
    });
  if (known.path !== path)
    return refused(`for the same endpoint they were first used for ('${known.path}').`);
  if (known.text !== text) return refused("with the same parameters they were first used with.");
  if (known.answer !== null) return { ...known.answer, isReplayed: true };
  const message = "There is currently another in-progress request using this idempotent key.";
  return problem(409, { type: "invalid_request_error", code: "idempotency_key_in_use", message });
}

function findOperation(method: string, path: string): { operation: Operation; id: string } | null {
  for (const operation of OPERATIONS) {
    const [verb, shape = ""] = operation.split(" ");
    const match = new RegExp(`^${shape.replace(":id", "([^/]+)")}$`).exec(path);
    if (verb === method && match !== null) return { operation, id: decodeURIComponent(match[1] ?? "") };
  }
  return null;
}

/** `isRefused`: the parameters are not those of the operation. */
function carryOut(
  account: StripeAccount,
  operation: Operation,
  id: string,
  text: string,
): Answer & { readonly isRefused: boolean } {
  let isRefused = true;
  try {
    const params = readParams(operation, text);
    isRefused = false;
    const object = perform(account, operation, id, params);
    const faults = faultsOf(object);
    if (faults.length > 0) throw new Error(`${operation}: ${faults.join("; ")}`);
    return { status: 200, body: JSON.stringify(object, null, 2), isRefused };
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    const { payment_intent: intent } = error.fault;
    const faults = intent === undefined ? [] : faultsOf(intent);
    if (faults.length > 0) throw new Error(`${operation}: ${faults.join("; ")}`, { cause: error });
    return { ...problem(error.status, error.fault), isRefused };
  }
}

/** The parameters were read by the schema of their operation. */
// oxlint-disable-next-line typescript/no-explicit-any
function perform(account: StripeAccount, operation: Operation, id: string, params: any): object {
  switch (operation) {
    case "GET /v1/payment_intents":
      return account.listIntents(params);
    case "GET /v1/payment_intents/:id":
      return account.readIntent(id);
    case "POST /v1/payment_intents":
      return account.createIntent(params);
    case "POST /v1/payment_intents/:id/confirm":
      return account.confirmIntent(id, params);
    case "POST /v1/payment_intents/:id/cancel":
      return account.cancelIntent(id);
    case "GET /v1/refunds":
      return account.listRefunds(params);
    case "POST /v1/refunds":
      return account.createRefund(params);
    case "POST /v1/checkout/sessions":
      return account.createSession(params);
    case "GET /v1/checkout/sessions/:id":
      return account.readSession(id, params);
    case "GET /v1/webhook_endpoints/:id":
      return account.readEndpoint(id);
    case "POST /v1/webhook_endpoints":
      return account.createEndpoint(params);
  }
}

/** Pages on which a person enters a card, or answers the bank: a button each, by which they go back to the shop. */
function servePage(account: StripeAccount, method: string, url: URL, response: ServerResponse): void {
  const [, kind, , session] = url.pathname.split("/");
  const id = kind === "3ds" ? (url.pathname.split("/")[2] ?? "") : (session ?? "");
  if (method === "POST") {
    if (kind === "3ds") account.authenticate(id, true);
    const back = new URL(
      kind === "3ds" ? (url.searchParams.get("return_url") ?? "") : account.completeSession(id, "ok"),
    );
    if (kind === "3ds") {
      back.searchParams.set("payment_intent", id);
      back.searchParams.set("payment_intent_client_secret", `${id}_secret_1`);
      back.searchParams.set("redirect_status", "succeeded");
    }
    response.writeHead(303, { location: back.href }).end();
    return;
  }
  response
    .writeHead(200, { "content-type": "text/html" })
    .end(`<form method="post"><button>${kind === "3ds" ? "Confirm payment" : "Save card"}</button></form>`);
}

const problem = (status: number, fault: Fault): Answer => ({
  status,
  body: JSON.stringify({ error: fault }, null, 2),
});

let requests = 0;

function send(response: ServerResponse, { status, body, isReplayed = false }: Answer): void {
  requests += 1;
  const headers = {
    "content-type": "application/json",
    "request-id": `req_${String(requests).padStart(14, "0")}`,
  };
  response.writeHead(status, isReplayed ? { ...headers, "idempotent-replayed": "true" } : headers).end(body);
}
