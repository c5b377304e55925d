import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { resource } from "../../../core/resource.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { events } from "../repository.ts";
import { EngineEvent, EventType } from "../schema.ts";

const eventResource = resource({
  id: "cart.events",
  collection: events,
  view: withVersion(EngineEvent),
  example: "evt_01JD8Z5T9QK3M4N5P6R7S8T9V3",
});

const listEvents = eventResource.list({
  summary: "What happened, newest first",
  description: "Of one cart, offer or bundle, or of one type.",
  query: z.object({ ...listFields, subject_id: Id.optional(), type: EventType.optional() }),
  find: ({ subject_id: subject, type, ...page }) => byAll([subject, type && `type.${type}`], page),
});

export const eventRoutes = [listEvents];
