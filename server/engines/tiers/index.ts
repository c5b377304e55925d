import { defineEngine } from "../../kernel/engine.ts";
import { measureRfm, recalculate, review } from "./jobs.ts";
import { customerActionRoutes } from "./routes/customer-actions.ts";
import { customerRoutes } from "./routes/customers.ts";
import { evaluationRoutes } from "./routes/evaluations.ts";
import { eventRoutes } from "./routes/events.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { programmeRoutes } from "./routes/programmes.ts";
import { recalculationRoutes } from "./routes/recalculations.ts";
import { tierAnswers } from "./routes/tier-of.ts";

export const tiers = defineEngine({
  name: "tiers",
  summary: "Behavioural loyalty tiers, per-customer aggregates, recalculation",
  routes: [
    ...customerRoutes,
    ...customerActionRoutes,
    ...eventRoutes,
    ...programmeRoutes,
    ...metricsRoutes,
    ...recalculationRoutes,
    ...evaluationRoutes,
  ],
  jobs: [recalculate, review, measureRfm],
  answers: tierAnswers,
});
