import { z } from "zod";

import { list } from "../../core/reply.ts";
import { withVersion } from "../../core/schema.ts";
import { defineOperationsRoute } from "../context.ts";
import { UsageDay } from "../../accounts/usage/usage.ts";
import { pageUsage, UsageQuery } from "../../accounts/usage/usage-query.ts";

const listUsage = defineOperationsRoute({
  id: "admin.usage.list",
  method: "GET",
  path: "/usage",
  summary: "List usage by key, day and route, latest day first",
  query: UsageQuery,
  data: z.array(withVersion(UsageDay)),
  example: {},
  async handle({ query }, { deps, tx }) {
    // The operator looks at what is, not at what was a few seconds ago.
    await deps.usage.flush();
    return list(await pageUsage(tx, query));
  },
});

export const usageRoutes = [listUsage];
