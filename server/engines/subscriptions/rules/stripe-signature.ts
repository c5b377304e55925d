import { createHmac } from "node:crypto";

import { equalSecrets } from "../../../core/ids.ts";
import { SIGNATURES_MAX } from "../../../core/standard-webhooks.ts";
import type { Verdict } from "../../../core/standard-webhooks.ts";

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the header `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`: HMAC-SHA256 over `t.body` with the secret of the
 * webhook endpoint, at most five minutes old (https://docs.stripe.com/webhooks#verify-manually). Other schemes are ignored.
 */
export function verifyStripe(
  header: string | undefined,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): Verdict {
  const parts = (header ?? "").split(",").map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
  const stamp = valuesOf("t")[0] ?? "";
  const signatures = valuesOf("v1").slice(0, SIGNATURES_MAX);
  if (!/^\d{1,12}$/.test(stamp) || signatures.length === 0) return "missing";
  if (Math.abs(nowMs / 1000 - Number(stamp)) > TOLERANCE_SECONDS) return "stale";
  const expected = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${stamp}.${body}`).digest("hex"),
  );
  return signatures.some((one) => expected.some((own) => equalSecrets(own, one))) ? "ok" : "forged";
}
