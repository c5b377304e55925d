import { createRouterOf } from "../server/http/namespace.ts";
import type { Endpoint, Router } from "../server/http/namespace.ts";
import { namespaces } from "../server/registry.ts";

/** The registry as the client sees it: every route that is meant to be called, by id and by path. */
export const endpoints = (): readonly Endpoint[] => routerOf().endpoints.filter(({ route }) => !route.hidden);

export const routerOf = (): Router => (router ??= createRouterOf(namespaces));

let router: Router | undefined;
