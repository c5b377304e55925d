import type { Namespace } from "../../http/namespace.ts";

/** The caller's own account under /v1/account. */
export const accountNamespace: Namespace = {
  name: "account",
  mount: "/v1/account",
  summary: "Who the key speaks for, its limits, its use, its rotation",
  auth: "key",
  part: "platform",
  envelope: true,
  routes: [],
};
