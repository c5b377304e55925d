import { DEMO_SHOP } from "../../core/shop.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { cateringEvents } from "./data/events.ts";
import { demoCatering } from "./demo.ts";
import { readFeeds } from "./jobs/feeds.ts";
import { takePagePayment } from "./services/deposit-payments.ts";
import { createQuote, quoteStateOf } from "./services/requested-quotes.ts";
import { eraseInvoices } from "./jobs/erase-invoices.ts";
import { forgetAnswers } from "./jobs/forget-answers.ts";
import { watchInvoices, watchOrders, watchQuotes, workRecurring } from "./jobs.ts";
import {
  accounts,
  counters,
  events,
  headcountSources,
  invoices,
  orders,
  policies,
  quotes,
  quoteVersions,
  recurringOrders,
  rsvps,
  cateringSettings,
} from "./repository.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { calendarFeedRoutes, publicCalendarRoutes } from "./routes/calendar-feed.ts";
import { eventRoutes } from "./routes/events.ts";
import { headcountPreviewRoutes } from "./routes/headcount-previews.ts";
import { headcountRoutes } from "./routes/headcount-sources.ts";
import { invitationRoutes } from "./routes/invitations.ts";
import { invoiceActionRoutes } from "./routes/invoice-actions.ts";
import { invoiceRoutes } from "./routes/invoices.ts";
import { occurrenceRoutes } from "./routes/occurrences.ts";
import { orderActionRoutes } from "./routes/order-actions.ts";
import { orderPreviewRoutes } from "./routes/order-previews.ts";
import { orderRoutes } from "./routes/orders.ts";
import { policyRoutes } from "./routes/policies.ts";
import { publicApprovalRoutes } from "./routes/public-approvals.ts";
import { publicGroupRsvpRoutes } from "./routes/public-group-rsvp.ts";
import { publicInvoiceRoutes } from "./routes/public-invoices.ts";
import { publicQuoteRoutes } from "./routes/public-quotes.ts";
import { publicRsvpRoutes } from "./routes/public-rsvp.ts";
import { quoteActionRoutes } from "./routes/quote-actions.ts";
import { quotePreviewRoutes } from "./routes/quote-previews.ts";
import { quoteRoutes } from "./routes/quotes.ts";
import { recurringRoutes } from "./routes/recurring-orders.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { invoiceStates } from "./rules/invoice-state.ts";
import { orderStates } from "./rules/order-state.ts";
import { quoteStates } from "./rules/quote-state.ts";
import { recurringStates } from "./rules/recurring-state.ts";

export const catering = defineEngine({
  name: "catering",
  summary: "Quotes, corporate accounts, recurring orders, calendar-driven headcount",
  routes: [
    ...quoteRoutes,
    ...quoteActionRoutes,
    ...quotePreviewRoutes,
    ...accountRoutes,
    ...orderRoutes,
    ...orderActionRoutes,
    ...orderPreviewRoutes,
    ...recurringRoutes,
    ...occurrenceRoutes,
    ...headcountRoutes,
    ...invitationRoutes,
    ...headcountPreviewRoutes,
    ...invoiceRoutes,
    ...invoiceActionRoutes,
    ...policyRoutes,
    ...calendarFeedRoutes,
    ...eventRoutes,
    ...settingsRoutes,
  ],
  links: [
    ...publicQuoteRoutes,
    ...publicApprovalRoutes,
    ...publicRsvpRoutes,
    ...publicGroupRsvpRoutes,
    ...publicInvoiceRoutes,
    ...publicCalendarRoutes,
  ],
  jobs: [watchQuotes, watchOrders, workRecurring, watchInvoices, eraseInvoices, forgetAnswers, readFeeds],
  answers: { createQuote, quoteStateOf, takePagePayment },
  states: [quoteStates, orderStates, invoiceStates, recurringStates],
  events: cateringEvents,
  seed: (now) => {
    const demo = demoCatering(now);
    return [
      cateringSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        policies,
        accounts,
        sources: headcountSources,
        rsvps,
        versions: quoteVersions,
        quotes,
        orders,
        counters,
        invoices,
        events,
        recurring: recurringOrders,
      }),
    ];
  },
});
