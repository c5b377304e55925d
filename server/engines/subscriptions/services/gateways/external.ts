import { OutgoingError } from "../../../../core/ports.ts";
import type { OutgoingAnswer, Ports } from "../../../../core/ports.ts";
import type { ChargeAnswer, LookupAnswer, PaymentGateway, RefundAnswer } from "../../../../core/payments.ts";
import { parseResult } from "../../rules/parse-answer.ts";
import { signedHeaders } from "../../../../core/standard-webhooks.ts";
import type { Gateway } from "../../schema/payment.ts";
import { parseJson } from "../../../../lib/parse-json.ts";

export interface ExternalDeps {
  readonly gateway: Gateway;
  readonly secrets: readonly string[];
  readonly post: Ports["post"];
  /** Epoch milliseconds of the real clock: the other side checks the time of a signature, and budgets renew by it. */
  readonly now: number;
}

const HTTP_OK = 200;
const HTTP_ACCEPTED = 202;
const HTTP_NOT_FOUND = 404;

/**
 * A gateway of the merchant's own: signed JSON is posted to its URL, with the attempt's id as `idempotency-key`.
 * 200 carries the result, 202 promises a callback. Anything else, and silence, leaves it unknown: only a connection
 * that never came about is certain to have moved no money.
 */
export function createExternalGateway(deps: ExternalDeps): PaymentGateway {
  return {
    async charge(request) {
      const sent = await send(deps, "charge", request.key, request);
      if (sent.kind === "refused") {
        const { detail, waitMs } = sent;
        if (waitMs !== null) return { status: "unsent", detail, waitMs };
        const failure = {
          category: "system" as const,
          code: "unreachable",
          message: detail.slice(0, 300),
        };
        return { status: "failed", ref: null, failure };
      }
      return readAnswer(sent);
    },
    async lookup({ key }): Promise<LookupAnswer> {
      if (!deps.gateway.supports_lookup) return { status: "unsupported" };
      const sent = await send(deps, "lookup", key, { key });
      if (sent.kind === "answer" && sent.answer.status === HTTP_NOT_FOUND) return { status: "not_found" };
      return sent.kind === "refused" ? { status: "unknown", detail: sent.detail } : readAnswer(sent);
    },
    async refund(request): Promise<RefundAnswer> {
      const sent = await send(deps, "refund", request.key, request);
      const answer = sent.kind === "refused" ? null : readAnswer(sent);
      if (answer?.status === "succeeded") return { status: "succeeded", ref: answer.ref };
      if (answer?.status === "failed") return { status: "failed", detail: answer.failure.message };
      return { status: "unknown", detail: sent.kind === "refused" ? sent.detail : "no certain answer" };
    },
  };
}

type Sent =
  | { readonly kind: "answer"; readonly answer: OutgoingAnswer }
  | {
      readonly kind: "refused";
      readonly detail: string;
      /** Milliseconds until the budget of outgoing requests renews; null where that was not the reason. */
      readonly waitMs: number | null;
    }
  | { readonly kind: "silent"; readonly detail: string };

async function send(deps: ExternalDeps, type: string, key: string, data: object): Promise<Sent> {
  const { gateway, secrets, post, now } = deps;
  if (gateway.url === null || secrets.length === 0) {
    return { kind: "refused", detail: "The gateway has no URL or no secret.", waitMs: null };
  }
  const body = JSON.stringify({ type, data });
  const signed = signedHeaders({ id: `${key}.${type}`, timestamp: Math.floor(now / 1000), body }, secrets);
  try {
    const answer = await post({
      url: gateway.url,
      headers: { ...signed, "content-type": "application/json", "idempotency-key": key },
      body,
      timeoutMs: gateway.timeout_seconds * 1000,
    });
    return { kind: "answer", answer };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const { fault, message: detail, renewsAtMs } = error;
    if (fault !== "refused") return { kind: "silent", detail };
    return { kind: "refused", detail, waitMs: renewsAtMs === null ? null : renewsAtMs - now };
  }
}

function readAnswer(sent: Exclude<Sent, { kind: "refused" }>): ChargeAnswer {
  if (sent.kind !== "answer") return { status: "unknown", detail: sent.detail };
  const { status, body } = sent.answer;
  if (status === HTTP_ACCEPTED) return { status: "pending", ref: null };
  const result = status === HTTP_OK ? parseResult(parseJson(body)) : null;
  return result ?? { status: "unknown", detail: `the gateway answered ${status} without a result` };
}
