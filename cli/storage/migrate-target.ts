import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";

import type { S3Config } from "../../server/storage/describe.ts";
import type { Cli } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { loadLocalConfig } from "../client/local.ts";
import { placeOf } from "./store-target.ts";
import type { StorePlace } from "./store-target.ts";

const FORMS =
  "--to <configuration file>, redis://host:6379, s3://bucket/prefix?endpoint=…&region=…, or fs:<folder>";

/** The store of `--to`: a configuration file with its `storage`, or an address. */
export async function parseTarget(cli: Cli, to: string): Promise<StorePlace> {
  const place = await toPlace(cli, to);
  if (place.storage.driver === "memory") throw usageError("The driver memory does not persist data.", FORMS);
  return place;
}

async function toPlace(cli: Cli, to: string): Promise<StorePlace> {
  if (to.startsWith("fs:"))
    return { storage: { driver: "fs", base: resolve(cli.cwd, to.slice(3)) }, limitsUrl: undefined };
  if (/^rediss?:/.test(to)) return checked(to, { driver: "redis", url: to });
  if (to.startsWith("s3:")) return checked(to, s3Of(to, cli.io.env));
  const file = resolve(cli.cwd, to);
  if (!existsSync(file) || !statSync(file).isFile())
    throw usageError(`--to ${JSON.stringify(to)} is neither a file nor an address.`, FORMS);
  return placeOf(await loadLocalConfig({ cwd: cli.cwd, configFile: file, env: withoutStorage(cli.io.env) }));
}

/** Variables of the current store do not apply to the target, except for secrets that its file refers to. */
function withoutStorage(env: Cli["io"]["env"]): Cli["io"]["env"] {
  const isOfStore = (name: string): boolean =>
    /^PLATFORM_STORAGE_(DRIVER|BASE|URL|NODES|USERNAME|PREFIX|ALLOW_VOLATILE|ENDPOINT|REGION|BUCKET)$/.test(
      name,
    );
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfStore(name)));
}

/** `s3://bucket/prefix?endpoint=…&region=…`; credentials come from the environment, never from the command line. */
function s3Of(to: string, env: Cli["io"]["env"]): Partial<S3Config> & { readonly driver: "s3" } {
  const url = URL.canParse(to) ? new URL(to) : null;
  const prefix = url?.pathname.replace(/^\/+|\/+$/g, "") ?? "";
  const region = url?.searchParams.get("region") ?? env.AWS_REGION;
  const endpoint = url?.searchParams.get("endpoint") ?? env.AWS_ENDPOINT_URL_S3;
  return {
    driver: "s3",
    bucket: url?.hostname ?? "",
    ...(prefix === "" ? {} : { prefix }),
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? "",
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "",
  };
}

/** Validates an address like a configuration. */
async function checked(to: string, storage: object): Promise<StorePlace> {
  const { Storage } = await import("../../server/config/storage.ts");
  const parsed = Storage.safeParse(storage);
  if (parsed.success) return { storage: parsed.data, limitsUrl: undefined };
  const [issue] = parsed.error.issues;
  const name = issue?.path.join(".") ?? "";
  const shown = to.replace(/\/\/[^/@]*@/, "//***@");
  throw usageError(`--to ${shown}: ${name} ${issue?.message ?? "is invalid"}.`, FORMS);
}
