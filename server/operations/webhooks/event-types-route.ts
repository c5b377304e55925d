import { z } from "zod";

import { eventTypesOf } from "../../accounts/event-types.ts";
import { values } from "../../core/reply.ts";
import { defineOperationsRoute } from "../context.ts";
import { EventTypeView } from "./views.ts";

/** The same list for stores and for operators. */
export const eventTypesRoute = (namespace: "account" | "admin") =>
  defineOperationsRoute({
    id: `${namespace}.event-types.list`,
    method: "GET",
    path: "/event-types",
    summary: "List the event types that endpoints can subscribe to",
    data: z.array(EventTypeView),
    example: {},
    handle: (_, { deps }) =>
      Promise.resolve(values(eventTypesOf(deps.engines).map(({ type, summary }) => ({ type, summary })))),
  });
