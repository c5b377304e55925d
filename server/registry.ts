import { tiers } from "./engines/tiers/index.ts";
import { answeros } from "./engines/answeros/index.ts";
import { forms } from "./engines/forms/index.ts";
import { reviews } from "./engines/reviews/index.ts";
import { cart } from "./engines/cart/index.ts";
import { content } from "./engines/content/index.ts";
import { catering } from "./engines/catering/index.ts";
import { subscriptions } from "./engines/subscriptions/index.ts";
import { menus } from "./engines/menus/index.ts";
import { allergens } from "./engines/allergens/index.ts";
import { delivery } from "./engines/delivery/index.ts";
import { engineNamespace } from "./http/namespace.ts";
import type { Namespace } from "./http/namespace.ts";
import { ConfigError } from "./config/error.ts";
import type { Engine, EventType } from "./core/engine.ts";
import { withHooks } from "./core/hooks.ts";
import type { Hooks } from "./core/hooks.ts";
import { accountNamespace, storeAccountNamespace } from "./operations/account-namespaces.ts";
import { adminNamespace } from "./operations/admin/index.ts";
import { createPagesNamespace } from "./site/pages/index.ts";
import { mailLinkRoutes } from "./mail/links.ts";
import { privacyLinkRoutes } from "./operations/privacy/links.ts";
import { eventTypesOf } from "./accounts/event-types.ts";
import { signupNamespace } from "./site/signup-namespace.ts";

/** THE list of engines: one line each. Routes, scopes, OpenAPI, docs, CLI commands and contract tests follow from it. */
export const engines: readonly Engine[] = [
  allergens,
  menus,
  subscriptions,
  delivery,
  catering,
  content,
  cart,
  reviews,
  forms,
  answeros,
  tiers,
];

interface Added {
  readonly engines?: readonly Engine[] | undefined;
  readonly hooks?: Hooks | undefined;
}

/** What follows from a list of engines. */
export interface Registry {
  readonly engines: readonly Engine[];
  /** Those that the reference describes. */
  readonly documented: readonly Namespace[];
  /** Every route the service answers, in groups that share a mount and a way of proving who calls. */
  readonly namespaces: readonly Namespace[];
  /** Every type of event that can be subscribed to. */
  readonly eventTypes: readonly EventType[];
  /** Every scope that a secret key can hold, in the registry's order. */
  readonly scopes: readonly string[];
  /** Every scope that a publishable key can hold: those of the routes that say so. */
  readonly openScopes: readonly string[];
}

/** Routes without a key: those who call prove who they are by a signature, of the request or in the link. */
const callbacks: Namespace = {
  name: "hooks",
  mount: "/api/hooks",
  summary: "Signed callbacks from other services",
  auth: "none",
  part: "platform",
  envelope: false,
  routes: [],
};

/** `isBuilt`: the build wrote the OpenAPI document of these engines. */
const createRegistry = (all: readonly Engine[], isBuilt: boolean): Registry => {
  const hooks = { ...callbacks, routes: all.flatMap((engine) => engine.hooks) };
  const links: Namespace = {
    ...callbacks,
    name: "public",
    mount: "/api/public",
    summary: "Pages behind signed links in mails",
    routes: [...all.flatMap((engine) => engine.links), ...privacyLinkRoutes, ...mailLinkRoutes],
  };
  const documented = [
    ...all.map(engineNamespace),
    hooks,
    links,
    accountNamespace,
    storeAccountNamespace,
    signupNamespace,
    adminNamespace,
  ];
  return {
    engines: all,
    documented,
    namespaces: [...documented, createPagesNamespace(documented, isBuilt)],
    eventTypes: eventTypesOf(all),
    scopes: [
      ...all.flatMap(({ name }) => [`${name}:read`, `${name}:write`, `${name}:manage`]),
      "account:read",
      "account:write",
      "account:manage",
    ],
    openScopes: all.flatMap(({ name, routes }) =>
      (["public", "submit"] as const)
        .filter((verb) => routes.some(({ open }) => open === verb))
        .map((verb) => `${name}:${verb}`),
    ),
  };
};

const ownRegistry = createRegistry(engines, true);
export const { documented, namespaces, eventTypes, scopes, openScopes } = ownRegistry;

/** The registry with engines and hooks of a configuration. Throws ConfigError where a name is taken or a hook has no route. */
export function registryWith({ engines: more = [], hooks = {} }: Added = {}): Registry {
  const hooked = Object.keys(hooks);
  if (more.length === 0 && hooked.length === 0) return ownRegistry;
  const taken = new Set([...namespaces.map(({ name }) => name), "account"]);
  const problems = more.flatMap((engine, index) => {
    const message = problemOf(engine, taken);
    taken.add(engine.name);
    return message === null
      ? []
      : [{ path: `engines[${index}].name`, message, value: engine.name, origin: "configuration" }];
  });
  const all = [...engines, ...more];
  const ids = new Set(all.flatMap(({ routes }) => routes.map(({ id }) => id)));
  for (const id of hooked.filter((name) => !ids.has(name)))
    problems.push({
      path: "hooks",
      message: `no route of an engine has the id ${JSON.stringify(id)}`,
      value: id,
      origin: "configuration",
    });
  if (problems.length > 0) throw new ConfigError("configuration", problems);
  const wrapped = all.map((engine) => withHooks(engine, hooks));
  return createRegistry(wrapped, more.length === 0);
}

function problemOf(
  { name, routes, jobs, hooks, links, events }: Engine,
  taken: ReadonlySet<string>,
): string | null {
  if (taken.has(name)) return `the name ${JSON.stringify(name)} is taken`;
  const ids = [...routes.map(({ id }) => id), ...jobs.map(({ id }) => id), ...events.map(({ type }) => type)];
  const other =
    ids.find((id) => !id.startsWith(`${name}.`)) ??
    hooks.find(({ id }) => !id.startsWith(`hooks.${name}`))?.id ??
    links.find(({ id }) => !id.startsWith(`public.${name}`))?.id;
  return other === undefined
    ? null
    : `${JSON.stringify(other)} must begin with the name of its engine, ${JSON.stringify(name)}`;
}
