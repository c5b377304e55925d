import { Webhook } from "standardwebhooks";

import type { Random } from "../../core/ids.ts";

const SECRET_BYTES = 32;

/** `whsec_` and the base64 of 32 random bytes, as Standard Webhooks has it. */
export const makeSecret = (random: Pick<Random, "bytes">): string =>
  `whsec_${Buffer.from(random.bytes(SECRET_BYTES)).toString("base64")}`;

/**
 * Headers of a delivery: one signature per secret, since for a while after a change of the secret there are two. `at` is
 * the time of this attempt in epoch milliseconds; `id` stays the same however often it is attempted.
 */
export function signedHeaders(
  secrets: readonly string[],
  message: { readonly id: string; readonly at: number; readonly body: string },
): Readonly<Record<string, string>> {
  const { id, at, body } = message;
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}
