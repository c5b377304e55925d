import type { Words } from "../../../core/words.ts";
import type { Finding } from "../schema/standing.ts";

/** What is missing, in a few words: "spend £40.00 more; 2 more orders". */
export const showGap = (words: Words, missing: readonly Finding[], currency: string): string =>
  missing.map((finding) => gapOf(words, finding, currency)).join("; ");

function gapOf({ money, say }: Words, { metric, key, gap }: Finding, currency: string): string {
  switch (metric) {
    case "spend":
    case "aov":
      return say(`tier.${metric}`, { amount: money(gap, currency) });
    case "channel_spend":
    case "category_spend":
      return say("tier.spend_on", { amount: money(gap, currency), key: key ?? say("tier.metric") });
    case "custom":
      return say("tier.custom", { gap, key: key ?? say("tier.it") });
    case "forms":
    case "orders":
    case "points":
    case "recency_days":
    case "referrals":
    case "reviews":
    case "subscription_months":
      return say(`tier.${metric}`, { gap });
  }
}
