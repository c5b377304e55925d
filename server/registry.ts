import { eventTypesOf } from "./accounts/event-types.ts";
import { checkAdded } from "./added.ts";
import { ConfigError } from "./config/error.ts";
import type { Engine, EventType } from "./core/engine.ts";
import {
  callbacksNamespace,
  engineLoaders,
  linksNamespace,
  openScopesOf,
  outlineOf,
  scopesOf,
} from "./engines.ts";
import { engineNamespace } from "./http/namespace.ts";
import type { Namespace } from "./http/namespace.ts";
import { mailLinkRoutes } from "./mail/links.ts";
import { accountNamespace, storeAccountNamespace } from "./operations/account-namespaces.ts";
import { adminNamespace } from "./operations/admin/index.ts";
import { privacyLinkRoutes } from "./operations/privacy/links.ts";
import { consoleNamespace } from "./site/console/namespace.ts";
import { createDocsNamespace } from "./site/docs/namespace.ts";
import { elementsNamespace } from "./site/elements/routes.ts";
import { openApiTextOf } from "./site/pages/openapi.ts";
import type { OpenApiTextOf } from "./openapi/document.ts";
import { pagesNamespace } from "./site/pages/index.ts";
import { metricsNamespace, probesNamespace } from "./site/pages/probes.ts";
import { signupNamespace } from "./site/signup-namespace.ts";

/*
 * The whole service, loaded: for the OpenAPI document, the documentation, the build and the tests. A server loads its parts as they
 * are used (`parts.ts`).
 */

/** The engines of the platform. */
export const engines: readonly Engine[] = await Promise.all(
  Object.values(engineLoaders).map((load) => load()),
);

/** What follows from a list of engines. */
export interface Registry {
  readonly engines: readonly Engine[];
  /** Those that the reference describes. */
  readonly documented: readonly Namespace[];
  readonly openApi: OpenApiTextOf;
  readonly docs: Namespace;
  /** Every route the service answers, in groups that share a mount and a way of proving who calls. */
  readonly namespaces: readonly Namespace[];
  /** Every type of event that can be subscribed to. */
  readonly eventTypes: readonly EventType[];
  /** Every scope that a secret key can hold, in the registry's order. */
  readonly scopes: readonly string[];
  /** Every scope that a publishable key can hold: those of the routes that say so. */
  readonly openScopes: readonly string[];
}

/** `isBuilt`: the build wrote the OpenAPI document of these engines. */
const createRegistry = (all: readonly Engine[], isBuilt: boolean): Registry => {
  const documented = [
    ...all.map(engineNamespace),
    callbacksNamespace(all.flatMap(({ hooks }) => hooks)),
    linksNamespace([...all.flatMap(({ links }) => links), ...privacyLinkRoutes, ...mailLinkRoutes]),
    accountNamespace,
    storeAccountNamespace,
    signupNamespace,
    adminNamespace,
  ];
  const openApi = openApiTextOf(documented, isBuilt);
  const docs = createDocsNamespace(documented, openApi);
  return {
    engines: all,
    documented,
    openApi,
    docs,
    namespaces: [
      ...documented,
      pagesNamespace,
      elementsNamespace,
      consoleNamespace,
      docs,
      probesNamespace,
      metricsNamespace,
    ],
    eventTypes: eventTypesOf(all),
    scopes: scopesOf(all),
    openScopes: openScopesOf(all.map(outlineOf)),
  };
};

const ownRegistry = createRegistry(engines, true);
export const { documented, namespaces, eventTypes, scopes, openScopes } = ownRegistry;

/** The registry with engines of a configuration. Throws ConfigError where a name is taken. */
export function registryWith({ engines: added = [] }: { readonly engines?: readonly Engine[] }): Registry {
  if (added.length === 0) return ownRegistry;
  const problems = checkAdded(
    added,
    namespaces.map(({ name }) => name),
  );
  if (problems.length > 0) throw new ConfigError("configuration", problems);
  return createRegistry([...engines, ...added], false);
}
