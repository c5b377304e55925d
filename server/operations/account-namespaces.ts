import type { Namespace } from "../http/namespace.ts";
import { getAccount, getBudgets, getRateLimit, getUsage } from "../accounts/routes/account.ts";
import { privacyRoutes } from "./privacy/routes.ts";
import { browserRoutes } from "../accounts/routes/browser.ts";
import { createPublicKey, getKey, listKeys, revoke, rotate } from "../accounts/routes/keys.ts";
import { shopRoutes } from "../accounts/routes/shop.ts";
import { testModeRoutes } from "./test-mode.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The caller's own account under /v1/account. */
export const accountNamespace: Namespace = {
  name: "account",
  mount: "/v1/account",
  summary: "Account, rate limits, usage, keys and webhooks of the calling key",
  auth: "key",
  part: "platform",
  envelope: true,
  routes: [getAccount, getRateLimit, getUsage, getBudgets, listKeys, createPublicKey, getKey, rotate, revoke],
};

/** Collections of the account that belong to one store, and are stored among its data. */
export const storeAccountNamespace: Namespace = {
  ...accountNamespace,
  part: "store",
  routes: [...shopRoutes, ...browserRoutes, ...privacyRoutes, ...webhookRoutes, ...testModeRoutes],
};
