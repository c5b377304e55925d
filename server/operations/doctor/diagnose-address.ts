import { isIP } from "node:net";
import { connect } from "node:tls";

import type { Deps } from "../deps.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { isSafeForSessions } from "../console-session.ts";
import { failed, fine, messageOf, TIMEOUT_MS, warn } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** The links of mails begin with the base URL: it must lead here, and not in the clear across a network. */
export async function checkBaseUrl({ config, lifecycle }: Deps): Promise<Finding> {
  const { baseUrl } = config;
  const { protocol, hostname } = new URL(baseUrl);
  const reach = reachOf(hostname);
  if (protocol === "http:" && reach !== "machine") {
    const detail = `${baseUrl}: API keys are transmitted unencrypted`;
    const fix = "Enable TLS (with a proxy or server.https) and use https:// in baseUrl.";
    return { status: reach === "public" ? "fail" : "warn", detail, fix };
  }
  if (lifecycle.url === null) return fine(`${baseUrl}; not checked, no server is running`);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${baseUrl}/healthz`, { signal, redirect: "manual" });
    await response.body?.cancel();
    if (response.headers.get("x-request-id")?.startsWith("req_") === true) return fine(baseUrl);
    const detail = `${baseUrl} responds with status ${response.status}, but is not this service: links in mails will not work`;
    const fix = "Set baseUrl to the public URL of the proxy, and configure the proxy to forward all paths.";
    return failed(detail, fix);
  } catch (error) {
    return toUnreached(baseUrl, error);
  }
}

/** What no client accepts, from anywhere; other refusals may be so from here alone. */
const BAD_CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate does not match the host name",
};

function toUnreached(baseUrl: string, error: unknown): Finding {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const fault = BAD_CERTIFICATES[code];
  if (fault !== undefined) {
    const fix = "Renew the certificate for this host name, and check the clock of this machine.";
    return failed(`${baseUrl}: ${fault}`, fix);
  }
  const detail = `${baseUrl} is not reachable from this machine: ${messageOf(cause)}`;
  return warn(detail, "Links in mails start with baseUrl. Check that your customers can reach it.");
}

/** Shares of a certificate's life, and days where that life is long: a renewal that works never lets it come so far. */
const SOON = { share: 0.2, days: 21 };
const LATE = { share: 0.1, days: 7 };

/** How long the certificate that clients see holds: the proxy's, or our own. */
export async function checkCertificate({ config, lifecycle, clock }: Deps): Promise<Finding> {
  const { protocol, hostname, port } = new URL(config.baseUrl);
  if (protocol !== "https:") return fine("baseUrl is not https");
  if (lifecycle.url === null) return fine("not checked, no server is running");
  const host = hostname.replace(/^\[|\]$/g, "");
  let life: { readonly fromMs: number; readonly toMs: number };
  try {
    life = await certificateLife(host, port === "" ? 443 : Number(port));
  } catch (error) {
    // The check of the base URL says why.
    return fine(`not checked: ${messageOf(error)}`);
  }
  const left = life.toMs - clock.now();
  const detail = `the certificate of ${hostname} ${left < 0 ? "expired" : "expires"} on ${toInstant(life.toMs)}`;
  const isWithin = ({ share, days }: typeof SOON): boolean =>
    left < Math.min(share * (life.toMs - life.fromMs), days * DAY_MS);
  if (!isWithin(SOON)) return fine(detail);
  const fix = "Renew it, reload the proxy or server, and check why the automatic renewal did not run.";
  return { status: isWithin(LATE) ? "fail" : "warn", detail, fix };
}

/** Looks at the certificate without judging its issuer. */
function certificateLife(host: string, port: number): Promise<{ fromMs: number; toMs: number }> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    socket.once("secureConnect", () => {
      const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ fromMs: Date.parse(from), toMs: Date.parse(to) });
    });
    socket.once("timeout", () => socket.destroy(new Error(`timed out after ${TIMEOUT_MS / 1000} s`)));
    socket.once("error", reject);
  });
}

/** Behind an undeclared proxy all clients have one address, and limits by address count them together. */
export async function checkProxies({ config }: Deps): Promise<Finding> {
  const { https, trustedProxies } = config.server;
  if (trustedProxies.length > 0) return fine(`X-Forwarded-For is trusted from ${trustedProxies.join(", ")}`);
  if (https !== false || !config.baseUrl.startsWith("https:"))
    return fine("not set, and no proxy was detected");
  return {
    status: "warn",
    detail:
      "baseUrl is https but the server is not, so a proxy must be in front of it, but server.trustedProxies is not set: all clients are counted as one IP address",
    fix: "Set server.trustedProxies to the IP address of the proxy.",
  };
}

/** The console itself refuses what is described here. */
export async function checkConsole({ config }: Deps): Promise<Finding> {
  if (!config.admin.ui) return fine("disabled");
  if (isSafeForSessions(config.baseUrl)) return fine("enabled at /_, with login links");
  return warn(
    `${config.baseUrl} is not https, so the console is disabled: sessions would be transmitted unencrypted`,
    "Use a TLS proxy in front of the server and set baseUrl, or set admin.ui to false.",
  );
}

/** How far from this machine a host may be reached, by its name alone. */
export function reachOf(hostname: string): "machine" | "network" | "public" {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || host === "::1" || /^127(?:\.\d+){3}$/.test(host)) return "machine";
  const isPrivate =
    isIP(host) === 0
      ? !host.includes(".") || /\.(?:local|lan|internal|home\.arpa|localhost|test)$/.test(host)
      : /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe[89ab])/i.test(host);
  return isPrivate ? "network" : "public";
}
