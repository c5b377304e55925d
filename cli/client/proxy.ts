import { once } from "node:events";
import { request as requestHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The forward proxy for an address, as curl selects it: HTTPS_PROXY or HTTP_PROXY by the scheme, else ALL_PROXY, unless
 * NO_PROXY lists the host. Names in lower case take precedence. Throws for a proxy that is not an HTTP URL.
 */
export function proxyOf(url: URL, env: Env): URL | null {
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const proxy = read(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || read("ALL_PROXY");
  if (proxy === "" || isExcluded(url, read("NO_PROXY"))) return null;
  const parsed = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  if (!URL.canParse(parsed) || !/^https?:$/.test(new URL(parsed).protocol)) {
    throw new Error("The proxy in the environment is not an http or https URL.");
  }
  return new URL(parsed);
}

/** NO_PROXY: hosts, domains with or without a leading dot, each with or without a port, separated by commas; * for all. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const host = bare(hostname);
  const usedPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", wantedPort] = /^(\[[^\]]*\]|[^:]*|[0-9a-f:]*)(?::(\d+))?$/i.exec(entry) ?? [];
    const domain = bare(name).replace(/^\*?\./, "");
    if (domain === "" || (wantedPort !== undefined && wantedPort !== usedPort)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}

const bare = (host: string): string => host.toLowerCase().replaceAll(/[[\]]/g, "");

/** Credentials of a proxy URL as a header. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** A connection to the host of `url` through the proxy (CONNECT). */
export async function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port === "" ? "443" : url.port}`;
  const request = proxy.protocol === "https:" ? (await import("node:https")).request : requestHttp;
  const connecting = request({
    host: bare(proxy.hostname),
    port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...proxyHeaders(proxy) },
    signal,
  });
  connecting.end();
  const [answer, socket]: [IncomingMessage, Socket] = await once(connecting, "connect").then(
    ([answer, socket]) => [answer, socket],
    (error: unknown) => {
      if (signal.aborted) throw error;
      const reason = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
      throw new Error(`The proxy ${proxy.host} cannot be reached${reason}.`);
    },
  );
  if (answer.statusCode === 200) return socket;
  socket.destroy();
  throw new Error(
    `The proxy ${proxy.host} refused to connect to ${target} with status ${answer.statusCode ?? 0}.`,
  );
}
