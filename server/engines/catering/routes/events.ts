import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { resource } from "../../../core/resource.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";
import { events } from "../repository.ts";
import { CateringEvent, EventType } from "../schema/event.ts";

const eventResource = resource({
  id: "catering.events",
  collection: events,
  view: withVersion(CateringEvent),
  example: DEMO_IDS.event,
});

const listEvents = eventResource.list({
  summary: "What happened, newest first",
  description: "Of one quote, order, invoice or account, or of one type.",
  query: z.object({ ...listFields, subject_id: Id.optional(), type: EventType.optional() }),
  find: ({ subject_id: subject, type, ...page }) => byAll([subject, type && `type.${type}`], page),
});

export const eventRoutes = [listEvents];
