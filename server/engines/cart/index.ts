import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { cartEvents } from "./data/events.ts";
import { demoCarts } from "./demo.ts";
import { keepTime } from "./jobs/keep-time.ts";
import { learnAffinities } from "./jobs/learn-affinities.ts";
import { makeCodes } from "./jobs/make-codes.ts";
import { recoverCarts } from "./jobs/recover.ts";
import {
  bundles,
  carts,
  codes,
  events,
  flows,
  mailboxes,
  offers,
  redemptions,
  cartSettings,
  suppressions,
  upsells,
  useCounters,
} from "./repository.ts";
import { bundleAllergens } from "./routes/bundle-allergens.ts";
import { bundleRoutes } from "./routes/bundles.ts";
import { cartRoutes } from "./routes/carts.ts";
import { codeRoutes } from "./routes/codes.ts";
import { evaluationRoutes } from "./routes/evaluations.ts";
import { eventRoutes } from "./routes/events.ts";
import { offerRoutes } from "./routes/offers.ts";
import { publicRoutes } from "./routes/public.ts";
import { recoveryRoutes } from "./routes/recoveries.ts";
import { recoveryFlowRoutes } from "./routes/recovery-flows.ts";
import { redemptionRoutes } from "./routes/redemptions.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { suppressionRoutes } from "./routes/suppressions.ts";
import { upsellRoutes } from "./routes/upsells.ts";
import { bundleStates, cartStates, offerStates } from "./rules/offer-state.ts";

export const cart = defineEngine({
  name: "cart",
  summary: "Bundles, buy-one-get-one offers, upsells, abandoned-cart recovery",
  routes: [
    ...bundleRoutes,
    bundleAllergens,
    ...offerRoutes,
    ...codeRoutes,
    ...evaluationRoutes,
    ...redemptionRoutes,
    ...cartRoutes,
    ...recoveryFlowRoutes,
    ...recoveryRoutes,
    ...suppressionRoutes,
    ...upsellRoutes,
    ...eventRoutes,
    ...settingsRoutes,
  ],
  links: publicRoutes,
  states: [cartStates, offerStates, bundleStates],
  events: cartEvents,
  seed: (now) => {
    const demo = demoCarts(now);
    return [
      cartSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        bundles,
        offers,
        codes,
        counters: useCounters,
        redemptions,
        upsells,
        flows,
        mailboxes,
        suppressions,
        events,
        carts,
      }),
    ];
  },
  jobs: [recoverCarts, keepTime, makeCodes, learnAffinities],
});
