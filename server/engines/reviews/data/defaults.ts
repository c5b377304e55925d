import type { Policy, Settings } from "../schema/settings.ts";

/** Default settings: every review is moderated, and every customer is invited. */
export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  shop_name: "",
  shop_url: "",
  favicon_url: "",
  product_url_template: "",
  timezone: "Europe/London",
  locales: ["en"],
  auto_publish: false,
  confirm_email: true,
  moderation_rules: [],
  media_hosts: [],
  invitations: {
    enabled: true,
    delay_days: 14,
    category_delays: {},
    remind_after_days: 7,
    quiet_hours: { from: "21:00", to: "08:00" },
    legal_basis: "legitimate_interest",
    incentive: { type: "none", note: "" },
  },
  updated_at: null,
};

/** Describes the service as it is; a store can replace it. */
export const DEFAULT_POLICY: Policy = {
  id: "policy",
  text:
    "How we handle reviews\n\nEvery customer who bought from us is asked for a review, whatever opinion we expect. " +
    "Reviews are checked before or after publication by the same rules for every rating. We reject what is unlawful, " +
    "abusive, off topic, fake, copied, or discloses personal details, and never because it is critical.\n\n“Verified " +
    "purchase” means that the reviewer was invited for an order that contained the product, or was logged in as the " +
    "customer who ordered it. “Verified buyer” means that the confirmed e-mail address has ordered from us. We " +
    "cannot set these labels manually.\n\nIf a reviewer was offered an incentive, works for us or is related to us, " +
    "the review says so. The average shown is the arithmetic mean of all published ratings. We do not write, buy or " +
    "commission reviews. If you think that a review is fake, report it with the flag next to it.",
  updated_at: null,
};
