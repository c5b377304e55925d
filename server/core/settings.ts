import { z } from "zod";

import { defineCollection } from "./collection.ts";
import type { Collection } from "./collection.ts";
import { seedSet } from "./engine.ts";
import type { SeedSet } from "./engine.ts";
import { item } from "./reply.ts";
import { defineRoute } from "./route.ts";
import type { Ctx, Route } from "./route.ts";
import { shops } from "./shop.ts";
import type { Shop } from "./shop.ts";
import type { Stored, Tx } from "./tx.ts";

interface SettingsDocument {
  readonly id: "settings";
  /** Null while the defaults apply. */
  readonly updated_at: string | null;
}

/** Settings as they are stored: only what the store has set itself. */
type Own<T> = { readonly id: "settings" } & { readonly [K in keyof T]?: T[K] | undefined };
/** A change. A member that the shop's profile provides is null to apply as the profile has it. */
type View<T> = T & { version: number };
type PatchOf<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

export interface SettingsDef<T extends SettingsDocument> {
  /** Namespace of the engine. */
  readonly engine: string;
  readonly schema: z.ZodObject;
  /** Settings of a store that has saved none. */
  readonly defaults: T;
  /** Members whose default is a field of the shop's profile, by that field; `defaults` applies where it is null. */
  readonly inherits: { readonly [K in keyof T]?: keyof Shop };
  readonly unlisted?: true;
  /** Version of the stored document; default 2. In version 1 it had all members. */
  readonly schemaVersion?: number;
}

export interface SettingsRoutesDef<T, P extends PatchOf<T>> {
  readonly summary: { readonly get: string; readonly update: string };
  readonly description?: string;
  /** Scope of a change; default `write`. */
  readonly scope?: "manage";
  readonly patch: z.ZodObject & z.ZodType<P>;
  /** A patch for the reference. */
  readonly example: NoInfer<P>;
  /** Looks at a change before it is written: throws 422 for what does not fit, marks what follows from it. */
  readonly check?: (patch: P, ctx: Ctx) => Promise<void>;
}

export interface Settings<T extends SettingsDocument> {
  readonly collection: Collection<Own<T>>;
  /** What applies in the store: its own settings, then its profile, then the defaults. */
  readonly read: (tx: Tx) => Promise<T>;
  /** The same with its version: that of the settings or of the profile, whichever changed last; 0 for the defaults. */
  readonly show: (tx: Tx) => Promise<Stored<T>>;
  /** Stages own settings. */
  readonly save: (tx: Tx, patch: PatchOf<T>, nowAt: string) => Promise<Stored<T>>;
  /** Demo settings of a shop: what is stored of them is what its profile and the defaults do not provide. */
  readonly seed: (shop: Shop, settings: T) => SeedSet;
  /** `GET` and `PATCH /settings`. */
  readonly routes: <P extends PatchOf<T>>(def: SettingsRoutesDef<T, P>) => readonly Route[];
}

/** Defaults that engines with prices have in common, and the fields of the profile that replace them. */
export const PRICE_SETTINGS = {
  shop_name: "",
  currency: "GBP",
  timezone: "Europe/London",
  tax_included: true,
};
export const PRICE_INHERITS = { shop_name: "name", currency: "currency", timezone: "time_zone" } as const;

/** The settings of an engine: one document of the store, over the profile of the shop, over defaults. */
export function defineSettings<T extends SettingsDocument>(def: SettingsDef<T>): Settings<T> {
  const { defaults, engine } = def;
  const fields: ReadonlyMap<string, keyof Shop> = new Map(
    Object.entries(def.inherits) as [string, keyof Shop][],
  );
  const baseIn = (shop: Shop | null): T => ({
    ...defaults,
    ...Object.fromEntries(
      [...fields].map(([member, field]) => [member, shop?.[field] ?? Reflect.get(defaults, member)]),
    ),
  });
  const collection = defineCollection<Own<T>>({
    name: `${engine}.settings`,
    // The schema of unknown members cannot say that each of them is optional now.
    schema: def.schema.partial().required({ id: true }) as unknown as z.ZodType<Own<T>>,
    schemaVersion: def.schemaVersion ?? 2,
    upgrade: (old) =>
      without(old, Object.fromEntries([...fields].map(([key]) => [key, Reflect.get(defaults, key)]))),
    ...(def.unlisted === undefined ? {} : { unlisted: def.unlisted }),
  });
  const find = async (tx: Tx) => {
    const [own = null, shop = null] =
      fields.size === 0
        ? [await tx.get(collection, "settings")]
        : await tx.getEach([collection, "settings"], [shops, "shop"]);
    const base = baseIn(shop?.value ?? null);
    return { own, base, version: Math.max(own?.version ?? 0, shop?.version ?? 0) };
  };
  const show: Settings<T>["show"] = async (tx) => {
    const { own, base, version } = await find(tx);
    return shown({ ...base, ...own?.value }, () => version);
  };
  const save: Settings<T>["save"] = async (tx, patch, nowAt) => {
    const { own, base } = await find(tx);
    const next = { ...own?.value, ...patch, id: "settings", updated_at: nowAt };
    const cleared = new Set([...fields.keys()].filter((member) => Reflect.get(next, member) === null));
    const kept = Object.entries(next).filter(([member]) => !cleared.has(member));
    // Null removes a value from the members that inherit, and is a value of all others.
    const stored = tx.save(collection, own, Object.fromEntries(kept) as Own<T>);
    return shown({ ...base, ...stored.value }, () => stored.version);
  };
  const routes: Settings<T>["routes"] = ({ summary, description, scope, patch, example, check }) => {
    // The schema is that of the settings, which the type of a schema of unknown members cannot say.
    const view = def.schema.extend({
      version: z.int().nonnegative().meta({ description: "0 while the default settings apply" }),
    }) as unknown as z.ZodType<View<T>, View<T>>;
    const body = patch.extend(
      inherited(
        patch.shape as Record<string, z.ZodType>,
        [...fields.keys()].filter((key) => key in patch.shape),
      ),
    ) as unknown as typeof patch;
    return [
      defineRoute({
        id: `${engine}.settings.get`,
        method: "GET",
        path: "/settings",
        summary: summary.get,
        description: "A store that has saved none has the defaults, with version 0.",
        data: view,
        handle: async (_input, { tx }) => item(await show(tx)),
      }),
      defineRoute({
        id: `${engine}.settings.update`,
        method: "PATCH",
        path: "/settings",
        scope: scope ?? "write",
        summary: summary.update,
        ...(description === undefined ? {} : { description }),
        body,
        data: view,
        errors: [{ type: "precondition_failed", when: "The version in If-Match is not the current version" }],
        example: { body: example },
        async handle({ body: change }, ctx) {
          ctx.requireVersion((await show(ctx.tx)).version);
          await check?.(change, ctx);
          return item(await save(ctx.tx, change, ctx.nowAt));
        },
      }),
    ];
  };
  return {
    collection,
    read: async (tx) => (await show(tx)).value,
    show,
    save,
    routes,
    seed: (shop, settings) =>
      seedSet(collection, [{ ...without(settings, baseIn(shop)), id: "settings" } as Own<T>]),
  };
}

/** Members of a patch that inherit, with null for what the profile of the store says. */
export const inherited = <S extends Readonly<Record<string, z.ZodType>>, K extends keyof S & string>(
  shape: S,
  members: readonly K[],
): { [P in K]: z.ZodNullable<S[P]> } =>
  Object.fromEntries(
    members.map((member) => {
      const description = `${shape[member]?.description ?? ""} Null: as in the profile of the store`.trim();
      return [member, z.nullable(shape[member] as S[K]).meta({ description })];
    }),
    // `fromEntries` does not keep which member has which type.
  ) as { [P in K]: z.ZodNullable<S[P]> };

const without = (value: object, same: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([member, own]) => JSON.stringify(own) !== JSON.stringify(Reflect.get(same, member)),
    ),
  );

/** Settings as an answer: their version is known once they are committed. */
const shown = <T>(value: T, versionOf: () => number): Stored<T> => ({
  id: "settings",
  value,
  members: JSON.stringify(value).slice(1),
  get version() {
    return versionOf();
  },
});
