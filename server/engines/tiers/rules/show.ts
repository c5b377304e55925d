import { showMoney } from "../../../lib/show.ts";
import type { Finding } from "./criteria.ts";

/** What is missing, in a few words: "spend £40.00 more; 2 more orders". */
export const showGap = (missing: readonly Finding[], currency: string): string =>
  missing.map((finding) => gapOf(finding, currency)).join("; ");

function gapOf({ metric, key, gap }: Finding, currency: string): string {
  switch (metric) {
    case "spend":
      return `spend ${showMoney(gap, currency)} more`;
    case "channel_spend":
    case "category_spend":
      return `spend ${showMoney(gap, currency)} more on ${key ?? "this metric"}`;
    case "aov":
      return `increase the average order by ${showMoney(gap, currency)}`;
    case "recency_days":
      return "an order";
    case "orders":
    case "points":
    case "reviews":
    case "referrals":
    case "forms":
      return `${gap} more ${gap === 1 ? metric.slice(0, -1) : metric}`;
    case "subscription_months":
      return `${gap} more ${gap === 1 ? "month" : "months"} of subscription`;
    case "custom":
      return `${gap} more of ${key ?? "it"}`;
  }
}
