import type { Example } from "../core/route.ts";
import type { Namespace } from "../http/namespace.ts";

/** Recorded examples by route id. */
export type Examples = Readonly<Record<string, Example>>;

/** The namespaces with the recorded examples of their routes. */
export const withExamples = (namespaces: readonly Namespace[], examples: Examples): Namespace[] =>
  namespaces.map((namespace) => ({
    ...namespace,
    routes: namespace.routes.map((route) => ({
      ...route,
      example: { ...route.example, ...examples[route.id] },
    })),
  }));
