import type { Namespace } from "../../http/namespace.ts";

/** The operator's routes, which the CLI and the operator pages call. */
export const adminNamespace: Namespace = {
  name: "admin",
  mount: "/api/platform/admin",
  summary: "Customers, stores, keys, plans, limits, mail, jobs, audit and storage, for the operator",
  auth: "admin",
  part: "platform",
  envelope: true,
  routes: [],
};
