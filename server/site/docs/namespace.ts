import type { Namespace } from "../../http/namespace.ts";
import { openApiRoute } from "../pages/openapi.ts";
import { probesNamespace } from "../pages/probes.ts";
import { referenceRoute } from "../pages/reference.ts";
import { docsRoutes } from "./portal.ts";

/** The documentation of the namespaces that the reference describes. `isBuilt`: the build wrote their OpenAPI document. */
export const createDocsNamespace = (documented: readonly Namespace[], isBuilt: boolean): Namespace => ({
  ...probesNamespace,
  isForReaders: true,
  routes: [openApiRoute(documented, isBuilt), ...docsRoutes(documented), referenceRoute(documented)],
});
