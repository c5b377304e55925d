import type { Engine } from "./engine.ts";
import type { Reply } from "./reply.ts";
import type { Ctx, Input } from "./route.ts";

/**
 * Code of the operator around a route of an engine. It runs in the transaction of the request, after scopes and input were checked,
 * and again where the transaction is repeated. A problem that it throws (`fail`) is the answer, and nothing of the transaction is
 * stored; what a handler commits in transactions of its own stays.
 */
export interface Hook {
  readonly before?: ((input: Input, ctx: Ctx) => Promise<void> | void) | undefined;
  readonly after?: ((input: Input, ctx: Ctx, reply: Reply<unknown>) => Promise<void> | void) | undefined;
}

/** By the id of the route, as in `delivery.holds.create`. */
export type Hooks = Readonly<Record<string, Hook>>;

/** The engine with hooks around its routes. */
export const withHooks = (engine: Engine, hooks: Hooks): Engine => ({
  ...engine,
  routes: engine.routes.map((route) => {
    const hook = Object.hasOwn(hooks, route.id) ? hooks[route.id] : undefined;
    if (hook === undefined) return route;
    return {
      ...route,
      async handle(input, ctx) {
        await hook.before?.(input, ctx);
        const reply = await route.handle(input, ctx);
        await hook.after?.(input, ctx, reply);
        return reply;
      },
    };
  }),
});
