import type { Engine, EngineOutline } from "./core/engine.ts";
import { engineNamespace } from "./http/namespace.ts";
import type { Namespace } from "./http/namespace.ts";

/**
 * THE list of engines: one line each, which loads the engine when it is called. Routes, scopes, OpenAPI, docs, CLI commands and
 * contract tests follow from it.
 */
export const engineLoaders: Readonly<Record<string, () => Promise<Engine>>> = {
  allergens: async () => (await import("./engines/allergens/index.ts")).allergens,
  menus: async () => (await import("./engines/menus/index.ts")).menus,
  subscriptions: async () => (await import("./engines/subscriptions/index.ts")).subscriptions,
  delivery: async () => (await import("./engines/delivery/index.ts")).delivery,
  catering: async () => (await import("./engines/catering/index.ts")).catering,
  content: async () => (await import("./engines/content/index.ts")).content,
  cart: async () => (await import("./engines/cart/index.ts")).cart,
  reviews: async () => (await import("./engines/reviews/index.ts")).reviews,
  forms: async () => (await import("./engines/forms/index.ts")).forms,
  answeros: async () => (await import("./engines/answeros/index.ts")).answeros,
  tiers: async () => (await import("./engines/tiers/index.ts")).tiers,
};

export const outlineOf = ({ name, summary, events, routes, answers }: Engine): EngineOutline => ({
  name,
  summary,
  events,
  open: (["public", "submit"] as const).filter((verb) => routes.some(({ open }) => open === verb)),
  answers: Object.keys(answers),
});

/** Every scope that a secret key can hold, in the order of the list. */
export const scopesOf = (engines: readonly Pick<Engine, "name">[]): string[] =>
  [...engines.map(({ name }) => name), "account"].flatMap((name) => [
    `${name}:read`,
    `${name}:write`,
    `${name}:manage`,
  ]);

/** Every scope that a publishable key can hold: those of the routes that say so. */
export const openScopesOf = (engines: readonly Pick<EngineOutline, "name" | "open">[]): string[] =>
  engines.flatMap(({ name, open }) => open.map((verb) => `${name}:${verb}`));

/** Routes without a key: those who call prove who they are by a signature, of the request or in the link. */
export const callbacksNamespace = (routes: Namespace["routes"]): Namespace => ({
  name: "hooks",
  mount: "/api/hooks",
  summary: "Signed callbacks from other services",
  auth: "none",
  part: "platform",
  envelope: false,
  routes,
});

export const linksNamespace = (routes: Namespace["routes"]): Namespace => ({
  ...callbacksNamespace(routes),
  name: "public",
  mount: "/api/public",
  summary: "Pages behind signed links in mails",
});

/** All routes of an engine where they are mounted. */
export const namespacesOf = (engine: Engine): Namespace[] => [
  engineNamespace(engine),
  callbacksNamespace(engine.hooks),
  linksNamespace(engine.links),
];
