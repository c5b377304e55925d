import { OutgoingError } from "../../../../core/ports.ts";
import type { Ports } from "../../../../core/ports.ts";
import type { StripeReply } from "../../rules/stripe-answer.ts";
import { tooManyRequests } from "../../../../lib/errors.ts";
import { parseJson } from "../../../../lib/parse-json.ts";

/** Version of Stripe's API to which requests, answers and events are pinned. */
export const STRIPE_VERSION = "2026-10-28.endive";
const BASE_URL = "https://api.stripe.com";

export interface StripeDeps {
  /** Another server that speaks Stripe's protocol, such as stripe-mock; null: Stripe. */
  readonly url: string | null;
  readonly apiKey: string;
  readonly timeoutSeconds: number;
  readonly ports: Pick<Ports, "post" | "fetch" | "realNow">;
}

/** `refused`: the request never left. `silent`: it may have been carried out. */
export type StripeSent =
  | ({ readonly kind: "answer" } & StripeReply)
  | {
      readonly kind: "refused";
      readonly detail: string;
      /** Milliseconds until the budget of outgoing requests renews; null where that was not the reason. */
      readonly waitMs: number | null;
    }
  | { readonly kind: "silent"; readonly detail: string };

/** Parameters by their names in a form, such as `metadata[charge_id]`. */
export type StripeParams = Readonly<Record<string, string>>;

export interface StripeApi {
  get(path: string, params?: StripeParams): Promise<StripeSent>;
  /** `key`: the `Idempotency-Key`. */
  post(path: string, params: StripeParams, key?: string): Promise<StripeSent>;
}

/** Stripe's API over HTTPS: https://docs.stripe.com/api. */
export function createStripeApi({ url, apiKey, timeoutSeconds, ports }: StripeDeps): StripeApi {
  const base = (url ?? BASE_URL).replace(/\/$/, "");
  const headers = { authorization: `Bearer ${apiKey}`, "stripe-version": STRIPE_VERSION };
  const timeoutMs = timeoutSeconds * 1000;
  return {
    get: (path, params = {}) =>
      settle(ports, async () => {
        const query = new URLSearchParams(params).toString();
        const answer = await ports.fetch({
          url: `${base}${path}${query === "" ? "" : `?${query}`}`,
          headers,
          timeoutMs,
        });
        return { status: answer.status, body: parseJson(answer.text()) };
      }),
    post: (path, params, key) =>
      settle(ports, async () => {
        const answer = await ports.post({
          url: `${base}${path}`,
          headers: {
            ...headers,
            "content-type": "application/x-www-form-urlencoded",
            ...(key === undefined ? {} : { "idempotency-key": key }),
          },
          body: new URLSearchParams(params).toString(),
          timeoutMs,
        });
        return { status: answer.status, body: parseJson(answer.body) };
      }),
  };
}

/**
 * The body of an answer; undefined without an answer. Throws 429 while the budget of outgoing requests is used up: for requests of a
 * page or an event, which can be sent again.
 */
export function requireBody(sent: StripeSent): unknown {
  if (sent.kind === "refused" && sent.waitMs !== null) throw tooManyRequests(sent.detail, sent.waitMs);
  return sent.kind === "answer" ? sent.body : undefined;
}

async function settle(
  { realNow }: Pick<Ports, "realNow">,
  ask: () => Promise<StripeReply>,
): Promise<StripeSent> {
  try {
    return { kind: "answer", ...(await ask()) };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const { fault, message: detail, renewsAtMs } = error;
    if (fault !== "refused") return { kind: "silent", detail };
    return { kind: "refused", detail, waitMs: renewsAtMs === null ? null : renewsAtMs - realNow() };
  }
}
