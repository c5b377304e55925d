import { z } from "zod";

import { Instant } from "../../core/schema.ts";
import type { Stored } from "../../core/tx.ts";
import type { Change } from "../change.ts";
import { Key } from "../collections.ts";
import { freeText } from "../free-text.ts";
import { issuedExample, IssuedView, toKeyView } from "./key-view.ts";
import { rotateKey } from "./keys.ts";

const OVERLAP_MAX_SECONDS = 30 * 86_400;
const OVERLAP_DEFAULT_SECONDS = 86_400;

/** Body of a rotation; may be left out. */
export const RotateBody = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(OVERLAP_MAX_SECONDS)
      .default(OVERLAP_DEFAULT_SECONDS)
      .meta({ description: "How long the old key stays valid; 0 revokes it immediately" }),
  })
  .prefault({});

/** Body of a revocation; may be left out. */
export const RevokeBody = z
  .strictObject({
    reason: freeText(200).default("revoked by hand").meta({ description: "Recorded in the audit trail" }),
  })
  .prefault({});

/** The new key with its secret, and what becomes of the old one. */
export const RotatedView = IssuedView.extend({
  replaced: z.object({ id: z.string(), status: Key.shape.status, expires_at: Instant.nullable() }),
});

export const rotateErrors = [
  { type: "conflict", code: "key_not_active", when: "The key is pending, revoked or expired." },
  { type: "conflict", code: "key_replaced", when: "The key was already rotated. Rotate its successor." },
  { type: "conflict", code: "customer_not_active", when: "The customer is not active." },
  {
    type: "conflict",
    code: "active_key_limit",
    when: "During the overlap, the limit of active keys of the plan would be exceeded.",
  },
] as const;

export const rotatedExample: z.output<typeof RotatedView> = {
  ...issuedExample,
  replaces: "key_01JD8Z5T9QK3M4N5P6R7S8T9V9",
  replaced: {
    id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V9",
    status: "ACTIVE",
    expires_at: "2026-06-02T09:00:00.000Z",
  },
};

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
