import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";

import type { Certificate, HTTPSOptions } from "listhen";

import { DAY_MS } from "../lib/instant.ts";
import type { Clock } from "../core/clock.ts";
import { ServeError } from "./error.ts";
import { writePrivate } from "./run-file.ts";

const VALIDITY_DAYS = 365;

/** Options of listhen for HTTPS, and what is to be kept of the certificate that it creates. */
export interface Tls {
  readonly options: false | HTTPSOptions;
  /** Keeps a fresh self-signed certificate, so that browsers need not be asked again at every start. */
  keep(certificate: Certificate): Promise<void>;
}

/**
 * Certificate and key from files; or, for `true`, a self-signed pair that is made once and kept in `folder`.
 * Throws ServeError for a file that cannot be read or used.
 */
export async function prepareTls(
  https: boolean | { readonly cert: string; readonly key: string },
  options: { readonly folder: string; readonly hosts: readonly string[]; readonly clock: Clock },
): Promise<Tls> {
  if (https === false) return { options: false, keep: async () => undefined };
  if (https !== true) {
    await assertPair(https);
    return { options: { ...https }, keep: async () => undefined };
  }
  const cert = join(options.folder, "tls", "cert.pem");
  const key = join(options.folder, "tls", "key.pem");
  if (await isFit(cert, key, options)) return { options: { cert, key }, keep: async () => undefined };
  const domains = [...new Set(["localhost", "127.0.0.1", "::1", ...options.hosts])];
  return {
    options: { validityDays: VALIDITY_DAYS, domains },
    async keep(made) {
      await writePrivate(key, made.key);
      await writePrivate(cert, made.cert);
    },
  };
}

async function assertPair({ cert, key }: { cert: string; key: string }): Promise<void> {
  for (const [setting, file] of [
    ["server.https.cert", cert],
    ["server.https.key", key],
  ] as const) {
    try {
      await readFile(file, "utf8");
    } catch (cause) {
      throw new ServeError("CERTIFICATE", `${setting}: cannot read ${file}`, {
        hint: "Check the path and the permissions of the file.",
        cause,
      });
    }
  }
}

/** A kept certificate serves again while it is valid for more than a day and names every host. */
async function isFit(
  cert: string,
  key: string,
  { hosts, clock }: { hosts: readonly string[]; clock: Clock },
): Promise<boolean> {
  try {
    await readFile(key, "utf8");
    const found = new X509Certificate(await readFile(cert, "utf8"));
    const isCurrent = Date.parse(found.validTo) > clock.now() + DAY_MS;
    return isCurrent && hosts.every((host) => (isIP(host) > 0 ? found.checkIP(host) : found.checkHost(host)));
  } catch {
    return false;
  }
}
