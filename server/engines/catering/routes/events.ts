import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { defineRoute, list } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { events } from "../repository.ts";
import { CateringEvent, EventType } from "../schema/event.ts";
import { exampleCateringEvent } from "./examples.ts";

const listEvents = defineRoute({
  id: "catering.events.list",
  method: "GET",
  path: "/events",
  summary: "What happened, newest first",
  description: "Of one quote, order, invoice or account, or of one type.",
  query: z.object({ ...listFields, subject_id: Id.optional(), type: EventType.optional() }),
  data: z.array(withVersion(CateringEvent)),
  example: { data: [exampleCateringEvent] },
  async handle({ query: { limit, cursor, subject_id: subjectId, type } }, { tx }) {
    const filters = [subjectId, type && `type.${type}`];
    return list(await tx.peekPage(events, byAll(filters, { limit, cursor })));
  },
});

export const eventRoutes = [listEvents];
