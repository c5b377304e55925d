import type { Namespace } from "../../http/namespace.ts";
import { assetRoute } from "./assets.ts";
import { errorIndexRoute, errorRoute } from "./errors.ts";
import { demoRoute } from "../elements/demo.ts";
import { inboxHtmlRoute, inboxMailRoute, inboxRoute } from "./inbox.ts";
import { landingRoute } from "./landing.ts";
import { probesNamespace } from "./probes.ts";
import { signupFormRoute, signupSubmitRoute } from "./signup.ts";

/** Pages for people: signup, dev inbox, errors, the demo storefront. */
export const pagesNamespace: Namespace = {
  ...probesNamespace,
  isForReaders: true,
  routes: [
    landingRoute,
    signupFormRoute,
    signupSubmitRoute,
    inboxRoute,
    inboxMailRoute,
    inboxHtmlRoute,
    errorIndexRoute,
    errorRoute,
    assetRoute,
    demoRoute,
  ],
};
