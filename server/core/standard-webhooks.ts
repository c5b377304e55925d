import { createHmac } from "node:crypto";

import { equalSecrets } from "./ids.ts";

/** Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, base64, as `v1,<signature>`. */

const PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;
/** Signatures of a message that are compared: a sender has as many as secrets, and anybody can send thousands. */
export const SIGNATURES_MAX = 10;

export interface SignedMessage {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** A secret as it is shown: `whsec_` and base64 of the key. */
export const toSecret = (key: Uint8Array): string => PREFIX + Buffer.from(key).toString("base64");

/** The headers under which a message is sent; several secrets while one takes over from the other. */
export const signedHeaders = (
  message: SignedMessage,
  secrets: readonly string[],
): Record<string, string> => ({
  "webhook-id": message.id,
  "webhook-timestamp": String(message.timestamp),
  "webhook-signature": secrets.map((secret) => `v1,${signatureOf(message, secret)}`).join(" "),
});

export type Verdict = "ok" | "missing" | "stale" | "forged";

/** Whether a message was signed with one of the secrets within the last five minutes. */
export function verify(
  header: (name: string) => string | undefined,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): Verdict {
  const id = header("webhook-id");
  const stamp = header("webhook-timestamp");
  const given = header("webhook-signature");
  if (id === undefined || stamp === undefined || given === undefined || !/^\d{1,12}$/.test(stamp))
    return "missing";
  const timestamp = Number(stamp);
  if (Math.abs(nowMs / 1000 - timestamp) > TOLERANCE_SECONDS) return "stale";
  const expected = secrets.map((secret) => signatureOf({ id, timestamp, body }, secret));
  const signatures = given.split(" ").flatMap((part) => (part.startsWith("v1,") ? [part.slice(3)] : []));
  const isOurs = signatures
    .slice(0, SIGNATURES_MAX)
    .some((signature) => expected.some((one) => equalSecrets(one, signature)));
  return isOurs ? "ok" : "forged";
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}
