import { builtinDrivers } from "unstorage";
import type { Driver } from "unstorage";
import { z } from "zod";

import { StoreError } from "../contract.ts";

const Module = z.object({
  default: z.custom<(options: object) => Driver>((value) => typeof value === "function"),
});
const isBuiltin = (name: string): name is keyof typeof builtinDrivers => Object.hasOwn(builtinDrivers, name);

/** A driver of unstorage by its name, or that of a package. Drivers import their clients when they are loaded or opened; the error names the package that is missing. */
export async function loadDriver(name: string, options: Readonly<Record<string, unknown>>): Promise<Driver> {
  try {
    const module: unknown = await import(isBuiltin(name) ? builtinDrivers[name] : name);
    return Module.parse(module).default(options);
  } catch (cause) {
    const [, missing] = /Cannot find (?:package|module) '([^']+)'/.exec(String(cause)) ?? [];
    const why = missing === undefined ? String(cause) : `run npm i ${missing}`;
    throw new StoreError("INVALID", `the unstorage driver ${name} cannot be loaded: ${why}`, { cause });
  }
}
