import type { Deps } from "../deps.ts";
import { eventTypesOf } from "../../accounts/event-types.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { toInstant } from "../../lib/instant.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { endpoints } from "./collections.ts";
import type { Delivery } from "./collections.ts";
import { isListener, stageDelivery } from "./endpoints.ts";
import { bodyOf, modeOf } from "./fan-out.ts";
import { requireEnabled } from "./replay.ts";

const TEST_TYPE = "webhook.test";

/**
 * An event for one endpoint, whatever types it asks for: by default a `webhook.test`, otherwise the example of its type. Throws
 * 404, 409 for a disabled endpoint and for an example that would be sent as live data, and 422 for an unknown type.
 */
export async function stageTest(
  tx: Tx,
  { newId, secret, engines }: Pick<Deps, "newId" | "secret" | "engines">,
  {
    endpointId,
    now,
    type = TEST_TYPE,
  }: { readonly endpointId: string; readonly now: number; readonly type?: string },
): Promise<Stored<Delivery>> {
  const endpoint = await tx.require(endpoints, endpointId);
  requireEnabled(endpoint);
  const at = toInstant(now);
  const known = eventTypesOf(engines).find((each) => each.type === type);
  if (known === undefined)
    throw invalidField(["type"], "Unknown event type. GET /v1/account/event-types lists the event types.");
  if (type !== TEST_TYPE && !isListener(endpoint.value) && modeOf(tx.part) === "live")
    throw conflict(
      "webhook_live",
      "Only `webhook.test` can be sent to a URL with live data. Use a listener or test data.",
    );
  const data = type === TEST_TYPE ? { endpoint_id: endpointId } : { ...known.example };
  const body = bodyOf({ type, at, data }, tx.part);
  const event = { id: newId("evt"), type, body };
  const staged = await stageDelivery(tx, secret, { endpoint: endpoint.value, event, at });
  if (staged === null) throw new Error("An event with a new id was already delivered.");
  return staged;
}
