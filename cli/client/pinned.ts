import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

import type { LoadedConfig } from "../../server/config/load.ts";
import { localFolder } from "../../server/serve/run-file.ts";

/** The certificate file of the server of this folder. */
export const certificateOf = (loaded: LoadedConfig): string => {
  const { https } = loaded.config.server;
  return typeof https === "object" ? https.cert : join(localFolder(loaded), "tls", "cert.pem");
};

/**
 * A connection to the HTTPS server of this folder at its loopback address. No public authority signs such certificates,
 * so the certificate is compared with the file before the token is sent.
 */
export async function connectPinned(url: URL, file: string, signal: AbortSignal): Promise<TLSSocket> {
  const expected = new X509Certificate(readFileSync(file)).fingerprint256;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  // The certificate itself is compared below, which is stricter than verifying its issuer.
  const socket = connect({ host, port: Number(url.port), rejectUnauthorized: false });
  await once(socket, "secureConnect", { signal });
  if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return socket;
  socket.destroy();
  throw new Error(`The certificate of the server differs from ${file}.`);
}
