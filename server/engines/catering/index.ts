import { defineEngine } from "../../kernel/engine.ts";
import { eventRoutes } from "./routes/events.ts";
import { publicQuoteRoutes } from "./routes/public-quotes.ts";
import { quoteActionRoutes } from "./routes/quote-actions.ts";
import { quotePreviewRoutes } from "./routes/quote-previews.ts";
import { quoteRoutes } from "./routes/quotes.ts";
import { settingsRoutes } from "./routes/settings.ts";

export const catering = defineEngine({
  name: "catering",
  summary: "Quotes, corporate accounts, recurring orders, calendar-driven headcount",
  routes: [...quoteRoutes, ...quoteActionRoutes, ...quotePreviewRoutes, ...eventRoutes, ...settingsRoutes],
  links: [...publicQuoteRoutes],
});
