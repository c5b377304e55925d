import { z } from "zod";

import { byAll } from "../../../core/by-value.ts";
import { defineRoute, list } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { events } from "../repository.ts";
import { EngineEvent, EventType } from "../schema/event.ts";
import { exampleEvent } from "./examples.ts";

const listEvents = defineRoute({
  id: "subscriptions.events.list",
  method: "GET",
  path: "/events",
  summary: "What happened, newest first",
  description: "Of one contract, or of one type.",
  query: z.object({ ...listFields, contract_id: Id.optional(), type: EventType.optional() }),
  data: z.array(withVersion(EngineEvent)),
  example: { data: [exampleEvent] },
  async handle({ query: { limit, cursor, contract_id: contractId, type } }, { tx }) {
    const filters = [contractId, type && `type.${type}`];
    return list(await tx.peekPage(events, byAll(filters, { limit, cursor })));
  },
});

export const eventRoutes = [listEvents];
