import { z } from "zod";

import type { Collection } from "./collection.ts";
import { created, defineRoute, empty, item, list } from "./route.ts";
import type { Ctx, Fields, OpenVerb, Route, RouteDef, ScopeVerb } from "./route.ts";
import { ListQuery } from "./schema.ts";
import type { PageQuery } from "./tx.ts";

interface ResourceDef<T, S extends z.ZodType> {
  /** `<namespace>.<resource>`: the beginning of the route ids. */
  readonly id: string;
  /** Path below the namespace. Default: `/<resource>`. */
  readonly path?: "" | `/${string}`;
  readonly collection: Collection<T>;
  /** Schema of the resource as served: that of the collection with `version`. */
  readonly view: S;
  /** Id of one in the demo data. */
  readonly example: string;
}

export interface Options {
  readonly summary: string;
  readonly description?: string;
  readonly open?: OpenVerb;
  readonly scope?: ScopeVerb;
  readonly cost?: number;
  /** Errors other than a missing resource and a version that is not current. */
  readonly errors?: Route["errors"];
}

export interface Write<B, I> extends Options {
  readonly body: z.ZodType<B, I>;
  readonly example: { readonly body: NoInfer<I> };
}

/**
 * The routes that read or write one document of a collection: 404 and 412 are declared and thrown here. What is more
 * than one document, or answers with anything but the stored resource, is a route of its own.
 */
export function resource<
  T extends { id: string },
  S extends z.ZodType<T & { version: number }, { id: string }>,
>(def: ResourceDef<T, S>) {
  const path = def.path ?? (`/${def.id.slice(def.id.indexOf(".") + 1)}` as const);
  // The generic type cannot express that what is stored also is valid input of the schema.
  const resolved = { ...def, path } as unknown as Resolved<T>;
  return { ...readers(resolved), ...writers(resolved), action: actions({ ...def, path }) };
}

export type ActionDef<
  S extends z.ZodType,
  Q extends Fields | undefined,
  B extends z.ZodType | undefined,
> = Omit<
  RouteDef<Ctx, undefined, Q, B, S, ActionPath>,
  "id" | "method" | "path" | "params" | "data" | "example"
> & {
  readonly example?: Pick<NonNullable<RouteDef<Ctx, undefined, Q, B, S>["example"]>, "query" | "body">;
};
type ActionPath = `/${string}/:id/${string}` | `/:id/${string}`;

/** `POST …/:id/<verb>`, which returns the resource. */
const actions =
  <S extends z.ZodType>(def: {
    readonly id: string;
    readonly path: "" | `/${string}`;
    readonly view: S;
    readonly example: string;
  }) =>
  <Q extends Fields | undefined, B extends z.ZodType | undefined>(
    verb: string,
    options: ActionDef<S, Q, B>,
  ): Route =>
    defineRoute<undefined, Q, B, S, ActionPath>({
      ...options,
      id: `${def.id}.${verb}`,
      method: "POST",
      path: `${def.path}/:id/${verb}`,
      data: def.view,
      example: { ...options.example, params: { id: def.example } },
    });

type View<T> = T & { version: number };

interface Resolved<T> {
  readonly id: string;
  readonly path: "" | `/${string}`;
  readonly collection: Collection<T>;
  readonly view: z.ZodType<View<T>, View<T>>;
  readonly example: string;
}

function readers<T extends { id: string }>({ id, path, collection, view, example }: Resolved<T>) {
  return {
    get: (options: Options) =>
      defineRoute({
        ...options,
        id: `${id}.get`,
        method: "GET",
        path: `${path}/:id`,
        data: view,
        example: { params: { id: example } },
        handle: async ({ params }, { tx }) => item(await tx.require(collection, params.id)),
      }),

    /** `find` turns the filters of `query` into the page of an index. */
    list: <Q extends PageQuery = PageQuery>(
      options: Options & {
        readonly query?: z.ZodObject & z.ZodType<Q>;
        readonly find?: (query: Q) => PageQuery;
      },
    ) => {
      const { query = ListQuery, find = (page: Q) => page, ...rest } = options;
      return defineRoute({
        ...rest,
        id: `${id}.list`,
        method: "GET",
        path,
        query,
        data: z.array(view),
        // Without a `query` of its own, `Q` is that of every list.
        handle: async (input, { tx }) => list(await tx.peekPage(collection, find(input.query as Q))),
      });
    },
  };
}

function writers<T extends { id: string }>(resolved: Resolved<T>) {
  const { id, path, collection, view } = resolved;
  const params = { id: resolved.example };
  return {
    create: <B, I>(
      options: Write<B, I> & { readonly make: (body: NoInfer<B>, ctx: Ctx) => T | Promise<T> },
    ) => {
      const { make, ...rest } = options;
      return defineRoute({
        ...rest,
        id: `${id}.create`,
        method: "POST",
        path,
        status: 201,
        data: view,
        handle: async ({ body }, ctx) => {
          const value = await make(body, ctx);
          return created(ctx.tx.create(collection, value), `${path}/${value.id}`);
        },
      });
    },

    /** `change` returns the resource with the change; `updated_at` is set here. */
    update: <B, I>(
      options: Write<B, I> & {
        readonly change: (before: T, body: NoInfer<B>, ctx: Ctx) => T | Promise<T>;
      },
    ) => {
      const { change, ...rest } = options;
      return defineRoute({
        ...rest,
        id: `${id}.update`,
        path: `${path}/:id`,
        method: "PATCH",
        data: view,
        example: { params, body: options.example.body },
        handle: async (input, ctx) => {
          const before = await ctx.current(collection, input.params.id);
          const after = { ...(await change(before.value, input.body, ctx)), updated_at: ctx.nowAt };
          return item(ctx.tx.put(collection, before, after));
        },
      });
    },

    /** `before` runs before it is deleted: it throws where that is not allowed, or removes what belongs to it. */
    remove: (options: Options & { readonly before?: (value: T, ctx: Ctx) => Promise<void> }) => {
      const { before, ...rest } = options;
      return defineRoute({
        ...rest,
        id: `${id}.remove`,
        path: `${path}/:id`,
        method: "DELETE",
        data: z.null(),
        example: { params },
        handle: async (input, ctx) => {
          const stored = await ctx.current(collection, input.params.id);
          await before?.(stored.value, ctx);
          ctx.tx.remove(collection, stored);
          return empty();
        },
      });
    },
  };
}
