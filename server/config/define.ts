import type { z } from "zod";
import type { Extensions, NodemailerTransport } from "./extensions.ts";
import type { OpenDriver, StoreDriver } from "../storage/contract.ts";
import type { ConfigSchema } from "./schema.ts";

/**
 * Declares the configuration in `platform.config.ts`. Returns it unchanged: it exists so that the editor knows
 * the settings. Checking happens when the file is loaded.
 */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}

/**
 * Stands for a value that must not be written into a file. When the configuration is loaded it becomes the value of
 * the environment variable `name`, or the content of the file that `<name>_FILE` points to (as with Docker secrets).
 * In a JSON configuration the same is written `{ "$secret": "NAME" }`.
 */
export function secret(name: string): SecretRef {
  return { $secret: name };
}

/** What `platform.config.ts` may export. Everything is optional: what is left out keeps its default. */
export type UserConfig = WithSecrets<Omit<Settings, "mail" | "storage">> &
  Pick<Extensions, "aiProviders" | "engines" | "hooks" | "plugins"> & {
    readonly storage?:
      | WithSecrets<Exclude<NonNullable<Settings["storage"]>, { driver: "custom" }>>
      /** A driver of your own, or a function that opens it. */
      | { readonly driver: StoreDriver | OpenDriver };
    readonly mail?: WithSecrets<Omit<MailSettings, "transport">> & {
      /** The name of a transport, or a transport of nodemailer or its options. */
      readonly transport?: MailSettings["transport"] | NodemailerTransport;
    };
  };

type Settings = z.input<typeof ConfigSchema>;
type MailSettings = NonNullable<Settings["mail"]>;

/** A plain object and not a class or symbol: the user's file may be loaded as a second instance of this module. */
export interface SecretRef {
  readonly $secret: string;
}

/** Any setting that takes free text takes a secret too, also in the objects of a list; fixed choices do not. */
type WithSecrets<T> = T extends string
  ? string extends T
    ? T | SecretRef
    : T
  : T extends readonly (infer I)[]
    ? readonly (I extends object ? WithSecrets<I> : I)[]
    : T extends object
      ? { [K in keyof T]: WithSecrets<T[K]> }
      : T;
