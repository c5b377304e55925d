import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { subscriptionEvents } from "./data/events.ts";
import { demoSubscriptions } from "./demo.ts";
import { billContracts, eraseInvoices, sweepCallbacks } from "./jobs.ts";
import {
  charges,
  contracts,
  counters,
  events,
  gatewayCalls,
  gateways,
  invoices,
  paymentMethods,
  plans,
  policies,
  subscriptionSettings,
  testPayments,
} from "./repository.ts";
import { changeRoutes } from "./routes/changes.ts";
import { chargeListRoutes } from "./routes/charge-lists.ts";
import { chargeRoutes } from "./routes/charges.ts";
import { contractActionRoutes } from "./routes/contract-actions.ts";
import { contractRoutes } from "./routes/contracts.ts";
import { cycleRoutes } from "./routes/cycles.ts";
import { eventRoutes } from "./routes/events.ts";
import { gatewayRoutes } from "./routes/gateways.ts";
import { hookRoutes } from "./routes/hooks.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { paymentMethodRoutes } from "./routes/payment-methods.ts";
import { planRoutes } from "./routes/plans.ts";
import { policyRoutes } from "./routes/policies.ts";
import { previewRoutes } from "./routes/previews.ts";
import { invoiceLinkRoutes, invoiceRoutes } from "./routes/invoices.ts";
import { linkRoutes, portalRoutes } from "./routes/self-service.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { hasPaymentPage, openPaymentPage, readPagePayment } from "./services/payment-pages.ts";
import { chargeStates } from "./rules/charge-state.ts";
import { contractStates } from "./rules/contract-state.ts";

export const subscriptions = defineEngine({
  name: "subscriptions",
  summary: "Recurring subscription contracts and their charges",
  routes: [
    ...contractRoutes,
    ...contractActionRoutes,
    ...portalRoutes,
    ...invoiceRoutes,
    ...changeRoutes,
    ...cycleRoutes,
    ...chargeListRoutes,
    ...chargeRoutes,
    ...previewRoutes,
    ...planRoutes,
    ...policyRoutes,
    ...paymentMethodRoutes,
    ...gatewayRoutes,
    ...eventRoutes,
    ...metricsRoutes,
    ...settingsRoutes,
  ],
  hooks: hookRoutes,
  links: [...linkRoutes, ...invoiceLinkRoutes],
  answers: { hasPaymentPage, openPaymentPage, readPagePayment },
  jobs: [billContracts, sweepCallbacks, eraseInvoices],
  states: [contractStates, chargeStates],
  events: subscriptionEvents,
  seed: (now) => {
    const demo = demoSubscriptions(now);
    return [
      subscriptionSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        gateways,
        methods: paymentMethods,
        policies,
        plans,
        payments: testPayments,
        calls: gatewayCalls,
        charges,
        invoices,
        counters,
        events,
        contracts,
      }),
    ];
  },
});
