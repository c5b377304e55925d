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
import type { Namespace } from "./http/namespace.ts";
import type { Engine } from "./core/engine.ts";
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

/** Routes without a key: those who call prove who they are by a signature, of the request or in the link. */
const hooks: Namespace = {
  name: "hooks",
  mount: "/api/hooks",
  summary: "Signed callbacks from other services",
  auth: "none",
  part: "platform",
  envelope: false,
  routes: engines.flatMap((engine) => engine.hooks),
};
const links: Namespace = {
  ...hooks,
  name: "public",
  mount: "/api/public",
  summary: "Pages behind signed links in mails",
  routes: [...engines.flatMap((engine) => engine.links), ...privacyLinkRoutes, ...mailLinkRoutes],
};

/** Those that the reference describes. */
export const documented: readonly Namespace[] = [
  ...engines.map(toNamespace),
  hooks,
  links,
  accountNamespace,
  storeAccountNamespace,
  signupNamespace,
  adminNamespace,
];

/** Every route the service answers, in groups that share a mount and a way of proving who calls. */
export const namespaces: readonly Namespace[] = [...documented, createPagesNamespace(documented)];

/** Every type of event that can be subscribed to. */
export const eventTypes = eventTypesOf(engines);

/** Every scope that a secret key can hold, in the registry's order. */
export const scopes: readonly string[] = [
  ...engines.flatMap(({ name }) => [`${name}:read`, `${name}:write`, `${name}:manage`]),
  "account:read",
  "account:write",
  "account:manage",
];

/** Every scope that a publishable key can hold: those of the routes that say so. */
export const openScopes: readonly string[] = engines.flatMap(({ name, routes }) =>
  (["public", "submit"] as const)
    .filter((verb) => routes.some(({ open }) => open === verb))
    .map((verb) => `${name}:${verb}`),
);

function toNamespace({ name, summary, routes }: Engine): Namespace {
  return { name, mount: `/v1/${name}`, summary, auth: "key", part: "store", envelope: true, routes };
}
