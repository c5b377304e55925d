import { z } from "zod";

import type { Collection } from "./collection.ts";
import { mergePatch } from "../lib/merge-patch.ts";
import { defineRoute, item, ok } from "./route.ts";
import type { Ctx, Route } from "./route.ts";
import type { Tx } from "./tx.ts";

interface SettingsDocument {
  readonly id: "settings";
  /** Null while the defaults hold. */
  readonly updated_at: string | null;
}

type View<T> = T & { version: number };
type PatchOf<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface SettingsDef<T extends SettingsDocument, P extends PatchOf<T>> {
  /** Namespace of the engine. */
  readonly engine: string;
  readonly summary: { readonly get: string; readonly update: string };
  readonly description?: string;
  /** Scope of a change; `write` unless told. */
  readonly scope?: "manage";
  readonly collection: Collection<T>;
  readonly schema: z.ZodObject;
  readonly patch: z.ZodType<P>;
  /** What holds in a store that has saved none. */
  readonly defaults: T;
  /** A patch for the reference. */
  readonly example: NoInfer<P>;
  /** Looks at a change before it is written: throws 422 for what does not fit, marks what follows from it. */
  readonly check?: (patch: P, ctx: Ctx, next: T) => Promise<void>;
}

/** The settings of a store, or the defaults. */
const readSettingsOf = async <T extends SettingsDocument>(
  tx: Tx,
  { collection, defaults }: { readonly collection: Collection<T>; readonly defaults: T },
): Promise<T> => (await tx.get(collection, "settings"))?.value ?? defaults;

/**
 * `GET` and `PATCH /settings` of an engine whose settings are one document of the store. One that has saved none shows
 * the defaults, with version 0, and the first change writes them.
 */
export function settingsRoutes<T extends SettingsDocument, P extends PatchOf<T>>(
  def: SettingsDef<T, P>,
): readonly Route[] {
  const { engine, collection, defaults, summary, description } = def;
  const unsaved = { ...defaults, version: 0 };
  // The schema is that of the collection, which the type of a schema of unknown members cannot say.
  const view = def.schema.extend({
    version: z.int().nonnegative().meta({ description: "0 while the default settings apply" }),
  }) as unknown as z.ZodType<View<T>, View<T>>;
  const get = defineRoute({
    id: `${engine}.settings.get`,
    method: "GET",
    path: "/settings",
    summary: summary.get,
    description: "A store that has saved none has the defaults, with version 0.",
    data: view,
    example: { data: unsaved },
    handle: async (_input, { tx }) => {
      const stored = await tx.get(collection, "settings");
      return stored === null ? ok(unsaved) : item(stored);
    },
  });
  const update = defineRoute({
    id: `${engine}.settings.update`,
    method: "PATCH",
    path: "/settings",
    scope: def.scope ?? "write",
    summary: summary.update,
    ...(description === undefined ? {} : { description }),
    body: def.patch,
    data: view,
    errors: [{ type: "precondition_failed", when: "The version in If-Match is not the current version" }],
    example: {
      body: def.example,
      data: { ...mergePatch(defaults, def.example), updated_at: "2026-06-01T09:00:00.000Z", version: 11 },
    },
    handle: async ({ body }, ctx) => {
      const { tx } = ctx;
      const next = { ...mergePatch(await readSettingsOf(tx, def), body), updated_at: ctx.nowAt };
      await def.check?.(body, ctx, next);
      const before = await ctx.currentOrUnsaved(collection, "settings");
      return item(tx.save(collection, before, next));
    },
  });
  return [get, update];
}
