import type { Namespace } from "../../http/namespace.ts";
import { adminNamespace } from "../../operations/admin/index.ts";
import { probesNamespace } from "../pages/probes.ts";
import { consoleRoutes } from "./routes.ts";

/** The operator's console. */
export const consoleNamespace: Namespace = {
  ...probesNamespace,
  isForReaders: true,
  routes: consoleRoutes(adminNamespace.routes),
};
