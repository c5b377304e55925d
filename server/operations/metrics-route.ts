import { z } from "zod";

import { backupMetric } from "./backups.ts";
import { fail } from "../lib/errors.ts";
import { equalSecrets } from "../core/ids.ts";
import { raw } from "../core/reply.ts";
import { defineOperationsRoute } from "./context.ts";
import type { OperationsCtx } from "./context.ts";
import { scrapeWorkers } from "../observability/siblings.ts";

/** Measures for Prometheus, of this process or of all workers that share its port, behind the operator's token or one that opens nothing else. */
export const metricsRoute = defineOperationsRoute({
  id: "pages.metrics",
  method: "GET",
  path: "/metrics",
  summary: "Metrics of this process and the other workers, in Prometheus format",
  hidden: true,
  data: z.string(),
  rawType: "text/plain; version=0.0.4; charset=utf-8",
  errors: [{ type: "not_found", when: "observability.metrics is off" }],
  example: {},
  async handle(_input, ctx) {
    const { siblings, telemetry } = ctx.deps;
    const scrape = telemetry?.scrape ?? null;
    if (scrape === null) throw fail("not_found", "No resource matches this path.");
    await requireReader(ctx);
    const [measures, backup] = await Promise.all([
      siblings === null ? scrape() : scrapeWorkers(scrape, siblings),
      backupMetric(ctx.deps),
    ]);
    return raw("text/plain; version=0.0.4; charset=utf-8", measures + backup);
  },
});

async function requireReader({ deps, header, now }: OperationsCtx): Promise<void> {
  const authorization = header("authorization");
  const { metricsToken } = deps.config.observability;
  const given = /^bearer +(\S{1,200})$/i.exec(authorization ?? "")?.[1];
  if (given !== undefined && metricsToken !== undefined && equalSecrets(given, metricsToken)) return;
  if ((await deps.accounts.authenticateAdmin(authorization, now)) !== null) return;
  throw fail(
    "unauthorized",
    "Provide the operator's token or observability.metricsToken in the Authorization header.",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="platform"' },
    },
  );
}
