import { fail, invalidField } from "../../lib/errors.ts";
import type { Stored } from "../../core/tx.ts";
import { PLATFORM_PART } from "../../core/partitions.ts";
import type { OperationsCtx } from "../context.ts";
import { requireEvents } from "../data-scopes.ts";
import { endpoints } from "./collections.ts";
import type { Endpoint } from "./collections.ts";
import { notePlatformInterest } from "./endpoints.ts";
import { eventTypesOf, isKnownPattern, wantsPlatform } from "../../accounts/event-types.ts";

/**
 * Checks what is said of an endpoint (422), and notes first of all that the platform's own events are wanted where they
 * are: those are in another partition, so nothing that happens after this answer is missed.
 */
export async function prepare(
  { deps, now }: Pick<OperationsCtx, "deps" | "now">,
  { url, types }: { readonly url?: string | undefined; readonly types: readonly string[] },
): Promise<void> {
  const known = eventTypesOf(deps.engines);
  const wrong = types.findIndex((pattern) => !isKnownPattern(pattern, known));
  if (wrong >= 0) {
    throw invalidField(
      ["types", wrong],
      "Unknown event type. GET /v1/account/event-types lists the event types; `reviews.*` matches all types of an engine, `*` matches all.",
    );
  }
  // What may be reached is decided when it is sent to; here only what can never be.
  const isPlain = url?.startsWith("http:") === true;
  if (isPlain && !deps.lifecycle.dev && deps.config.outgoing.allow.length === 0) {
    throw invalidField(["url"], "Expected an https URL.");
  }
  if (wantsPlatform(types)) await deps.runTx(PLATFORM_PART, (tx) => notePlatformInterest(tx, now));
}

/** An endpoint, for a key that may read what is sent to it: 404 when missing, 403 for any other key. */
export async function requireEndpoint(ctx: OperationsCtx, id: string): Promise<Stored<Endpoint>> {
  return readable(ctx, await ctx.tx.require(endpoints, id));
}

export function readable(ctx: OperationsCtx, endpoint: Stored<Endpoint>): Stored<Endpoint> {
  requireEvents(ctx, endpoint.value.types);
  return endpoint;
}

/** A document below an endpoint; that of another endpoint is not there. */
export function requireOf<T extends { readonly endpoint_id: string }>(
  stored: Stored<T>,
  endpointId: string,
): Stored<T> {
  if (stored.value.endpoint_id === endpointId) return stored;
  throw fail("not_found", "No resource with this id.");
}
