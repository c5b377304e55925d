import { z } from "zod";

import { byValue } from "../../../core/by-value.ts";
import { invalidParameter } from "../../../lib/errors.ts";
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
    if (subjectId !== undefined && type !== undefined)
      throw invalidParameter("type", "Filters cannot be combined on this list. Send one of them.");
    const value = subjectId ?? (type === undefined ? undefined : `type.${type}`);
    return list(await tx.peekPage(events, byValue(value, { limit, cursor })));
  },
});

export const eventRoutes = [listEvents];
