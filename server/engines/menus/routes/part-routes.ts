import type { z } from "zod";

import type { Collection } from "../../../core/collection.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { created, empty, item } from "../../../core/reply.ts";
import type { Ctx, Route } from "../../../core/route.ts";
import { withVersion } from "../../../core/schema.ts";
import { markChanged, stocks } from "../repository.ts";
import type { Writes } from "./bulk.ts";
import {
  countGone,
  countNew,
  full,
  inOwnLanguage,
  newTimes,
  referenced,
  refuseWhileReferenced,
} from "./write.ts";
import type { ReferrerKind } from "./write.ts";
import { resource } from "../../../core/resource.ts";

interface Part {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Additional input of a handler. */
type Own = "id" | "created_at" | "updated_at";
type PatchOf<T> = { readonly [K in keyof T]?: T[K] | undefined };
type PartInput = Readonly<Record<string, unknown>>;

export interface PartDef<T extends Part, C extends PartInput, P extends PartInput> {
  /** Path below the engine, and the middle part of the route ids: `price-levels`. */
  readonly path: string;
  /** Singular and plural, for summaries: `a price level`, `price levels`. */
  readonly name: { readonly one: string; readonly many: string };
  /** Description of creating one. */
  readonly description: string;
  readonly collection: Collection<T>;
  readonly schema: z.ZodObject;
  readonly create: z.ZodType<C>;
  readonly patch: z.ZodType<P>;
  readonly idPrefix: string;
  /** Limit per store. */
  readonly max: number;
  /** Id of one in the demo data. */
  readonly example: string;
  /** Example bodies for the reference. */
  readonly exampleBodies: { readonly create: unknown; readonly patch: unknown };
  /** The complete resource from the body of a POST. */
  readonly make: (input: C, ctx: Ctx) => Omit<T, Own>;
  /** The fields changed by the body of a PATCH. */
  readonly change: (input: P, before: T, ctx: Ctx) => PatchOf<T>;
  /** Throws 422 for inconsistencies with other resources; `before` is null for a new one. */
  readonly check: (ctx: Ctx, value: T, before: T | null) => Promise<void> | void;
  /** Kinds of resources that may refer to it: it cannot be deleted while one does. */
  readonly referrers: readonly ReferrerKind[];
  /** Ids that identify it. Default: its own. */
  readonly idsOf?: (value: T) => readonly string[];
  /** Its stock is deleted with it. */
  readonly hasStock?: true;
}

/** The definition with the types of its members inferred from each other. */
export const definePart = <T extends Part, C extends PartInput, P extends PartInput>(
  def: PartDef<T, C, P>,
): PartDef<T, C, P> => def;

/** List, create, show, change and delete: the five routes of an independent resource of menus. */
export function partRoutes<T extends Part, C extends PartInput, P extends PartInput>(
  def: PartDef<T, C, P>,
): readonly Route[] {
  const { collection, example, exampleBodies, name } = def;
  // The schema is that of the collection, which the generic type cannot express.
  const view = withVersion(def.schema) as unknown as ViewOf<T>;
  const part = resource({ id: `menus.${def.path}`, collection, view, example });
  const writes = partWrites(def);
  return [
    part.list({ summary: `List ${name.many}` }),
    part.custom.create({
      summary: `Create ${name.one}`,
      description: def.description,
      body: def.create,
      errors: [full],
      example: { body: exampleBodies.create },
      handle: async ({ body }, ctx) => {
        const stored = await writes.create(ctx, body, []);
        return created(stored, `/${def.path}/${stored.id}`);
      },
    }),
    part.get({ summary: `Show ${name.one}` }),
    part.custom.update({
      summary: `Change ${name.one}`,
      description: "Published versions of menus do not change.",
      body: def.patch,
      example: { body: exampleBodies.patch },
      handle: async ({ params, body }, ctx) =>
        item(await writes.update(ctx, await ctx.current(collection, params.id), body, [])),
    }),
    part.custom.remove({
      summary: `Delete ${name.one}`,
      errors: [referenced],
      handle: async ({ params }, ctx) => {
        await writes.remove(ctx, await ctx.current(collection, params.id), []);
        return empty();
      },
    }),
  ];
}

/** How the resource is written. */
export const partWrites = <T extends Part, C extends PartInput, P extends PartInput>(
  def: PartDef<T, C, P>,
): Writes<T, C, P> => ({
  create: async (ctx, body) => {
    const input = await inOwnLanguage(ctx.tx, body);
    // TypeScript does not infer that `Omit` of a type parameter is the rest of it.
    const value = {
      ...def.make(input, ctx),
      id: ctx.newId(def.idPrefix),
      ...newTimes(ctx),
    } as unknown as T;
    await countNew(ctx, def.collection, def.max);
    await def.check(ctx, value, null);
    return ctx.tx.create(def.collection, value);
  },
  update: async (ctx, before, body) => {
    const input = await inOwnLanguage(ctx.tx, body);
    const value = mergePatch(before.value, def.change(input, before.value, ctx));
    await markChanged(ctx.tx, ctx.newId);
    await def.check(ctx, value, before.value);
    return ctx.tx.put(def.collection, before, { ...value, updated_at: ctx.nowAt });
  },
  remove: async (ctx, before) => {
    await countGone(ctx, def.collection);
    await refuseWhileReferenced(ctx.tx, def.idsOf?.(before.value) ?? [before.id], def.referrers);
    const stock = def.hasStock === true ? await ctx.tx.get(stocks, before.id) : null;
    if (stock !== null) ctx.tx.remove(stocks, stock);
    ctx.tx.remove(def.collection, before);
  },
});

type ViewOf<T> = z.ZodType<T & { version: number }, T & { version: number }>;
