import { defineEngine, seedSet } from "../../core/engine.ts";
import { tierEvents } from "./data/events.ts";
import { demoTiers } from "./demo.ts";
import { measureRfm, recalculate, review, sweepDiffs } from "./jobs.ts";
import {
  customers,
  events,
  members,
  moves,
  programmes,
  published,
  recalculations,
  rfmDocs,
  running,
} from "./repository.ts";
import { customerActionRoutes } from "./routes/customer-actions.ts";
import { customerRoutes } from "./routes/customers.ts";
import { evaluationRoutes } from "./routes/evaluations.ts";
import { eventRoutes } from "./routes/events.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { programmeRoutes } from "./routes/programmes.ts";
import { recalculationRoutes } from "./routes/recalculations.ts";
import { tierAnswers } from "./routes/tier-of.ts";
import { programmeStates, recalculationStates } from "./rules/recalculation-state.ts";

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
  jobs: [recalculate, review, measureRfm, sweepDiffs],
  answers: tierAnswers,
  states: [programmeStates, recalculationStates],
  events: tierEvents,
  seed: (now) => {
    const demo = demoOf(now - (now % HOUR_MS));
    const { members: count, recency, frequency, monetary } = demo.cuts;
    const cuts = {
      members: count,
      recency: [...recency],
      frequency: [...frequency],
      monetary: [...monetary],
    };
    return [
      seedSet(published, [demo.published]),
      seedSet(running, [{ id: "running", published_id: demo.published.id }]),
      seedSet(programmes, [demo.programme]),
      seedSet(rfmDocs, [{ id: "rfm", cuts, measured_at: demo.recalculation.created_at }]),
      seedSet(recalculations, [demo.recalculation]),
      seedSet(events, demo.events),
      seedSet(moves, demo.moves),
      seedSet(customers, demo.customers),
      seedSet(members, demo.members),
    ];
  },
});

const HOUR_MS = 3_600_000;

let made: { readonly at: number; readonly demo: ReturnType<typeof demoTiers> } | null = null;

/** Cached demo data of the current hour: two years of thirty customers take a while to evaluate. */
function demoOf(at: number) {
  if (made?.at !== at) made = { at, demo: demoTiers(at) };
  return made.demo;
}
