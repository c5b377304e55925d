import { z } from "zod";

import { conflictWhen } from "../../lib/errors.ts";
import { Instant } from "../../core/schema.ts";
import type { Stored } from "../../core/tx.ts";
import type { Change } from "../change.ts";
import { Key } from "../collections.ts";
import { freeText } from "../free-text.ts";
import { EXAMPLE_KEY, IssuedView, KeyView, toKeyView } from "./key-view.ts";
import { rotateKey } from "./keys.ts";

const DAY_SECONDS = 86_400;

/** Body of a rotation, which may be left out: for how long what is replaced stays valid, by default a day. */
export const overlapBody = (maxDays: number, description: string) =>
  z
    .strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(maxDays * DAY_SECONDS)
        .default(DAY_SECONDS)
        .meta({ description }),
    })
    .prefault({});
const RotateBody = overlapBody(30, "How long the old key stays valid; 0 revokes it immediately");

/** Body of a revocation; may be left out. */
const RevokeBody = z
  .strictObject({
    reason: freeText(200).default("revoked by hand").meta({ description: "Recorded in the audit trail" }),
  })
  .prefault({});

/** The new key with its secret, and what becomes of the old one. */
const RotatedView = IssuedView.extend({
  replaced: z.object({ id: z.string(), status: Key.shape.status, expires_at: Instant.nullable() }),
});

const rotateErrors = [
  conflictWhen("key_not_active", "The key is pending, revoked or expired."),
  conflictWhen("key_replaced", "The key was already rotated. Rotate its successor."),
  conflictWhen("customer_not_active", "The customer is not active."),
  conflictWhen(
    "active_key_limit",
    "During the overlap, the limit of active keys of the plan would be exceeded.",
  ),
] as const;

/** What the routes of customers and operators have in common. */
export const rotateRoute = {
  method: "POST",
  path: "/keys/:id/rotate",
  body: RotateBody,
  data: RotatedView,
  sensitive: true,
  errors: rotateErrors,
  example: { params: { id: EXAMPLE_KEY }, body: { overlap_seconds: DAY_SECONDS } },
} as const;
export const revokeRoute = {
  method: "POST",
  path: "/keys/:id/revoke",
  body: RevokeBody,
  data: KeyView,
  example: { params: { id: EXAMPLE_KEY }, body: { reason: "leaked" } },
} as const;

/** Rotates a key and shows both. */
export async function rotateAndShow(
  change: Change,
  before: Stored<Key>,
  overlapSeconds: number,
): Promise<z.output<typeof RotatedView>> {
  const { key, plaintext, replaced } = await rotateKey(change, before, overlapSeconds);
  const { id, status, expires_at } = replaced.value;
  const view = await toKeyView(change.deps, change.tx, key, change.now);
  return { ...view, api_key: plaintext, replaced: { id, status, expires_at } };
}
