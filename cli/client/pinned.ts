import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

import type { LoadedConfig } from "../../server/config/load.ts";
import { localFolder } from "../../server/serve/run-file.ts";

/** The certificate that the server of this folder shows. */
export const certificateOf = (loaded: LoadedConfig): string => {
  const { https } = loaded.config.server;
  return typeof https === "object" ? https.cert : join(localFolder(loaded), "tls", "cert.pem");
};

/**
 * A connection to the HTTPS server of this folder, which is called by its loopback address: no public authority vouches for
 * that, so the certificate itself is compared with the one in the file, before the token is sent.
 */
export async function connectPinned(url: URL, file: string, signal: AbortSignal): Promise<TLSSocket> {
  const expected = new X509Certificate(readFileSync(file)).fingerprint256;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  // Whether an authority vouches for it does not matter: it has to be this very certificate.
  const socket = connect({ host, port: Number(url.port), rejectUnauthorized: false });
  await once(socket, "secureConnect", { signal });
  if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return socket;
  socket.destroy();
  throw new Error(`The server shows another certificate than ${file}.`);
}
