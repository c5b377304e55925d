import type { Namespace } from "../../http/namespace.ts";
import type { OpenApiTextOf } from "../../openapi/document.ts";
import { openApiRoute } from "../pages/openapi.ts";
import { probesNamespace } from "../pages/probes.ts";
import { referenceRoute } from "../pages/reference.ts";
import { docsRoutes } from "./portal.ts";

/** The documentation of the namespaces that the reference describes, with their OpenAPI document. */
export const createDocsNamespace = (documented: readonly Namespace[], openApi: OpenApiTextOf): Namespace => ({
  ...probesNamespace,
  isForReaders: true,
  routes: [openApiRoute(documented, openApi), ...docsRoutes(documented), referenceRoute(documented)],
});
