import type { Namespace } from "../../http/namespace.ts";
import { auditRoutes } from "./audit.ts";
import { consoleLinkRoutes } from "./console.ts";
import { customerRoutes } from "./customers.ts";
import { doctorRoutes } from "./doctor.ts";
import { freezeRoutes } from "./freeze.ts";
import { jobRoutes } from "./jobs.ts";
import { keyRoutes } from "./keys.ts";
import { limitRoutes } from "./limits.ts";
import { logRoutes } from "./logs.ts";
import { mailRoutes } from "./mail.ts";
import { planRoutes } from "./plans.ts";
import { privacyAdminRoutes } from "../privacy/admin.ts";
import { operatorRoutes } from "./operators.ts";
import { refusalRoutes } from "./refusals.ts";
import { searchRoutes } from "./search.ts";
import { seedRoutes } from "./seed.ts";
import { storageRoutes } from "./storage.ts";
import { storeRoutes } from "./stores.ts";
import { usageRoutes } from "./usage.ts";
import { webhookRoutes } from "./webhooks.ts";

/** The operator's routes, which the CLI and the operator pages call. */
export const adminNamespace: Namespace = {
  name: "admin",
  mount: "/api/platform/admin",
  summary: "Operator API: customers, stores, keys, plans, limits, mail, jobs, audit and storage",
  auth: "admin",
  part: "platform",
  envelope: true,
  routes: [
    ...customerRoutes,
    ...operatorRoutes,
    ...searchRoutes,
    ...storeRoutes,
    ...keyRoutes,
    ...planRoutes,
    ...usageRoutes,
    ...auditRoutes,
    ...limitRoutes,
    ...refusalRoutes,
    ...logRoutes,
    ...consoleLinkRoutes,
    ...mailRoutes,
    ...jobRoutes,
    ...storageRoutes,
    ...freezeRoutes,
    ...seedRoutes,
    ...webhookRoutes,
    ...doctorRoutes,
    ...privacyAdminRoutes,
  ],
};
