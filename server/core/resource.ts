import { z } from "zod";

import type { Collection } from "./collection.ts";
import { created, empty, item, list } from "./reply.ts";
import { defineRoute } from "./route.ts";
import type { Ctx, Fields, Method, OpenVerb, Route, RouteDef, ScopeVerb } from "./route.ts";
import { ListQuery } from "./schema.ts";
import type { PageQuery } from "./tx.ts";

type Path = "" | `/${string}`;

interface RoutesDef<S extends z.ZodType, P extends Path> {
  /** `<namespace>.<resource>`: the beginning of the route ids. */
  readonly id: string;
  /** Path below the namespace. Default: `/<resource>`. */
  readonly path?: P;
  /** Schema of the resource as served. */
  readonly view: S;
  /** The `:id` of its examples: that of one in the demo data. */
  readonly example?: string;
}

interface ResourceDef<T, S extends z.ZodType, P extends Path> extends RoutesDef<S, P> {
  readonly collection: Collection<T>;
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
 * than one document has a handler of its own: `custom.update({ …, handle })` declares all of the route but that.
 * `view` is the schema of the collection with `version`.
 */
export function resource<
  T extends { id: string },
  S extends z.ZodType<T & { version: number }, { id: string }>,
  const P extends Path = `/${string}`,
>(def: ResourceDef<T, S, P>) {
  const path = pathOf(def);
  // The generic type cannot express that what is stored also is valid input of the schema.
  const resolved = { ...def, path } as unknown as Resolved<T>;
  const custom = routesOf(def);
  return {
    ...readers(resolved),
    ...writers(resolved),
    custom,
    action: custom.action,
    read: custom.read,
  };
}

/** A route without what its resource declares: id, method, path and the parameters of the example. */
type Declared<
  P extends Path,
  Q extends Fields | undefined,
  B extends z.ZodType | undefined,
  D extends z.ZodType,
> = Omit<RouteDef<Ctx, undefined, Q, B, D, P>, "id" | "method" | "path" | "params" | "data"> & {
  /** Default: the resource; a list of it, or null, where the verb says so. */
  readonly data?: D;
};

/** The routes of a resource by their verbs, each with a handler of its own. */
export function routesOf<S extends z.ZodType, const P extends Path = `/${string}`>(def: RoutesDef<S, P>) {
  const { id, view } = def;
  const all = { id, path: pathOf(def), example: def.example };
  const one = { ...all, path: `${all.path}/:id` as const };
  const below =
    (method: Method) =>
    <
      Q extends Fields | undefined = undefined,
      B extends z.ZodType | undefined = undefined,
      D extends z.ZodType = S,
    >(
      verb: string,
      options: Declared<`${P}/:id/${string}`, Q, B, D>,
    ): Route =>
      declares({ ...one, path: `${one.path}/${verb}` as const }, method, verb, view)(options);
  return {
    list: declares(all, "GET", "list", z.array(view)),
    create: declares(all, "POST", "create", view),
    get: declares(one, "GET", "get", view),
    update: declares(one, "PATCH", "update", view),
    remove: declares(one, "DELETE", "remove", z.null()),
    /** `GET …/:id/<verb>` */
    read: below("GET"),
    /** `POST …/:id/<verb>` */
    action: below("POST"),
  };
}

interface Place<P extends Path> {
  readonly id: string;
  readonly path: P;
  readonly example: string | undefined;
}

const declares =
  <S extends z.ZodType, P extends Path>(
    { id, path, example }: Place<P>,
    method: Method,
    verb: string,
    data: S,
  ) =>
  <
    Q extends Fields | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    D extends z.ZodType = S,
  >(
    options: Declared<P, Q, B, D>,
  ): Route =>
    defineRoute<undefined, Q, B, D, P>({
      ...(verb === "create" ? { status: 201 } : {}),
      ...options,
      id: `${id}.${verb}`,
      method,
      path,
      data: options.data ?? (data as unknown as D),
      example: {
        ...(example !== undefined && path.includes("/:id") ? { params: { id: example } } : {}),
        ...options.example,
      },
    });

const pathOf = <P extends Path>({ id, path }: { readonly id: string; readonly path?: P }): P =>
  path ?? (`/${id.slice(id.indexOf(".") + 1)}` as P);

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
