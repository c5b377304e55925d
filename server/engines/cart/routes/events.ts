import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { defineRoute, list } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { events } from "../repository.ts";
import { EngineEvent, EventType } from "../schema.ts";
import { exampleEvent } from "./examples.ts";

const listEvents = defineRoute({
  id: "cart.events.list",
  method: "GET",
  path: "/events",
  summary: "What happened, newest first",
  description: "Of one cart, offer or bundle, or of one type.",
  query: z.object({ ...listFields, subject_id: Id.optional(), type: EventType.optional() }),
  data: z.array(withVersion(EngineEvent)),
  example: { data: [exampleEvent] },
  async handle({ query: { limit, cursor, subject_id: subject, type } }, { tx }) {
    const filters = [subject, type && `type.${type}`];
    return list(await tx.peekPage(events, byAll(filters, { limit, cursor })));
  },
});

export const eventRoutes = [listEvents];
