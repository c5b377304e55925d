import type { Namespace } from "../../http/namespace.ts";
import { metricsRoute } from "../../operations/metrics-route.ts";
import { assetRoute } from "./assets.ts";
import { adminNamespace } from "../../operations/admin/index.ts";
import { consoleRoutes } from "../console/routes.ts";
import { docsRoutes } from "../docs/portal.ts";
import { errorIndexRoute, errorRoute } from "./errors.ts";
import { healthzRoute, readyzRoute } from "../../operations/health.ts";
import { demoRoute } from "../elements/demo.ts";
import { elementRoutes } from "../elements/routes.ts";
import { landingRoute } from "./landing.ts";
import { refusalPage } from "./layout.ts";
import { inboxHtmlRoute, inboxMailRoute, inboxRoute } from "./inbox.ts";
import { openApiRoute } from "./openapi.ts";
import { referenceRoute } from "./reference.ts";
import { signupFormRoute, signupSubmitRoute } from "./signup.ts";

/**
 * Pages for people and probes for machines: docs, signup, dev inbox, health.
 * `documented` are the namespaces that the reference describes. `isBuilt`: the build wrote their OpenAPI document.
 */
export const createPagesNamespace = (documented: readonly Namespace[], isBuilt: boolean): Namespace => ({
  name: "pages",
  mount: "",
  summary: "Pages and probes",
  auth: "none",
  part: "platform",
  envelope: false,
  refusal: refusalPage,
  routes: [
    landingRoute,
    signupFormRoute,
    signupSubmitRoute,
    inboxRoute,
    inboxMailRoute,
    inboxHtmlRoute,
    ...consoleRoutes(adminNamespace.routes),
    openApiRoute(documented, isBuilt),
    ...docsRoutes(documented),
    referenceRoute(documented),
    errorIndexRoute,
    errorRoute,
    assetRoute,
    ...elementRoutes,
    demoRoute,
    healthzRoute,
    readyzRoute,
    metricsRoute,
  ],
});
