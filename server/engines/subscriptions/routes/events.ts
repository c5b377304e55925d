import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { resource } from "../../../core/resource.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { events } from "../repository.ts";
import { EngineEvent, EventType } from "../schema/event.ts";

const eventResource = resource({
  id: "subscriptions.events",
  collection: events,
  view: withVersion(EngineEvent),
  example: "evt_01KDVDNA00GGGGGGGGGGGGGGGQ",
});

const listEvents = eventResource.list({
  summary: "What happened, newest first",
  description: "Of one contract, or of one type.",
  query: z.object({ ...listFields, contract_id: Id.optional(), type: EventType.optional() }),
  find: ({ contract_id: subject, type, ...page }) => byAll([subject, type && `type.${type}`], page),
});

export const eventRoutes = [listEvents];
