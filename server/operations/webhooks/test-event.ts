import type { Deps } from "../deps.ts";
import { toInstant } from "../../lib/instant.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import { endpoints } from "./collections.ts";
import type { Delivery } from "./collections.ts";
import { stageDelivery } from "./endpoints.ts";
import { bodyOf } from "./fan-out.ts";
import { requireEnabled } from "./replay.ts";

/** A `webhook.test` for one endpoint, whatever types it asks for. Throws 404, and 409 for a disabled endpoint. */
export async function stageTest(
  tx: Tx,
  { newId, secret }: Pick<Deps, "newId" | "secret">,
  { endpointId, now }: { readonly endpointId: string; readonly now: number },
): Promise<Stored<Delivery>> {
  const endpoint = await tx.require(endpoints, endpointId);
  requireEnabled(endpoint);
  const at = toInstant(now);
  const type = "webhook.test";
  const body = bodyOf({ type, at, data: { endpoint_id: endpointId } }, tx.part);
  const event = { id: newId("evt"), type, body };
  const staged = await stageDelivery(tx, secret, { endpoint: endpoint.value, event, at });
  if (staged === null) throw new Error("An event with a new id was already delivered.");
  return staged;
}
