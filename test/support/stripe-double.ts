import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import { createStripeAccount, StripeError } from "./stripe-account.ts";
import type { StripeAccount } from "./stripe-account.ts";
import { PARAMS, parseForm } from "./stripe-params.ts";
import type { Operation } from "./stripe-params.ts";

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
}
interface Kept {
  readonly print: string;
  readonly answer: Answer | null;
  readonly at: number;
}

const DAY_MS = 86_400_000;

/**
 * A server in this process that behaves as Stripe's API does where a payment rests on it: parameters and errors of the OpenAPI
 * document, idempotency keys of API v1 (https://docs.stripe.com/api/idempotent_requests), states of PaymentIntents, signed events.
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
    if (found === null)
      return send(response, problem(404, "invalid_request_error", "Unrecognized request URL"));
    const seen = { operation: found.operation, path: url.pathname, key };
    log.push(seen);
    const fault = double.fault(seen);
    const isDone = fault === null || fault.effect;
    const answer = isDone
      ? answerTo(request, { ...found, key, text: body === "" ? url.search.slice(1) : body })
      : null;
    if (fault?.kind === "drop") return void response.destroy();
    if (fault?.kind === "status") {
      const sorry = problem(fault.status, "api_error", "Sorry!");
      // An error of the server is an answer too: it is repeated for the same key.
      const known = key === null ? undefined : kept.get(key);
      if (key !== null && known !== undefined) kept.set(key, { ...known, answer: sorry });
      return send(response, sorry);
    }
    send(response, answer ?? problem(500, "api_error", "Sorry!"));
  }

  function answerTo(
    request: IncomingMessage,
    { operation, id, key, text }: { operation: Operation; id: string; key: string | null; text: string },
  ): Answer {
    if (request.headers.authorization !== `Bearer ${double.apiKey}`)
      return problem(401, "invalid_request_error", "Invalid API Key provided: sk_test_***");
    if (request.headers["stripe-version"] === undefined)
      return problem(400, "invalid_request_error", "The tests pin the version of the API.");
    const params = PARAMS[operation].safeParse(parseForm(text));
    if (!params.success) {
      const [issue] = params.error.issues;
      return problem(
        400,
        "invalid_request_error",
        `Received unknown or invalid parameter: ${issue?.message}`,
      );
    }
    if (key === null || request.method !== "POST") return run(operation, id, params.data);
    const print = `${operation} ${id} ${text}`;
    const known = kept.get(key);
    if (known !== undefined && now() - known.at < DAY_MS) {
      if (known.print !== print)
        return problem(
          400,
          "idempotency_error",
          "Keys for idempotent requests can only be used with the same parameters.",
        );
      return (
        known.answer ??
        problem(409, "idempotency_error", "There is another request in progress with this key.")
      );
    }
    kept.set(key, { print, answer: null, at: now() });
    const answer = run(operation, id, params.data);
    // What is refused before it is carried out may be sent again.
    if (answer.status === 400) kept.delete(key);
    else kept.set(key, { print, answer, at: now() });
    return answer;
  }

  function run(operation: Operation, id: string, params: unknown): Answer {
    try {
      return { status: 200, body: JSON.stringify(carryOut(account, operation, id, params)) };
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      return { status: error.status, body: JSON.stringify({ error: error.fault }) };
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      send(response, problem(500, "api_error", String(error)));
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

function findOperation(method: string, path: string): { operation: Operation; id: string } | null {
  for (const operation of Object.keys(PARAMS) as Operation[]) {
    const [verb, shape = ""] = operation.split(" ");
    const match = new RegExp(`^${shape.replace(":id", "([^/]+)")}$`).exec(path);
    if (verb === method && match !== null) return { operation, id: match[1] ?? "" };
  }
  return null;
}

/** The parameters were parsed by the schema of their operation. */
// oxlint-disable-next-line typescript/no-explicit-any
function carryOut(account: StripeAccount, operation: Operation, id: string, params: any): object {
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

const problem = (status: number, type: string, message: string): Answer => ({
  status,
  body: JSON.stringify({ error: { type, message } }),
});

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}
