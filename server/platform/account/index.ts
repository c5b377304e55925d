import type { Namespace } from "../../http/namespace.ts";
import { getAccount } from "./account.ts";
import { listKeys, revoke, rotate } from "./keys.ts";
import { getRateLimit } from "./rate-limit.ts";
import { getUsage } from "./usage.ts";

/** The caller's own account under /v1/account. */
export const accountNamespace: Namespace = {
  name: "account",
  mount: "/v1/account",
  summary: "Who the key speaks for, its limits, its use, its rotation",
  auth: "key",
  part: "platform",
  envelope: true,
  routes: [getAccount, getRateLimit, getUsage, listKeys, rotate, revoke],
};
