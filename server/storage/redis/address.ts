import { StoreError } from "../contract.ts";

/** Where a Redis listens and how to log in. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls: boolean;
}

/**
 * Reads `redis[s]://[user:password@]host[:port][/db]`; throws StoreError INVALID. Done here and not by the client, which
 * would also take its settings from the query.
 */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  const db = /^\/?(\d{0,5})$/.exec(url?.pathname ?? "/")?.[1];
  const isPlain = url?.search === "" && url.hash === "";
  const isRedis = url?.protocol === "redis:" || url?.protocol === "rediss:";
  if (url === null || !isRedis || url.hostname === "" || !isPlain || db === undefined) {
    throw new StoreError(
      "INVALID",
      "invalid Redis URL: expected redis[s]://[user:password@]host[:port][/db]",
    );
  }
  const username = decode(url.username);
  const password = decode(url.password);
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? 6379 : Number(url.port),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    db: Number(db),
    tls: url.protocol === "rediss:",
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StoreError("INVALID", "invalid Redis URL: user and password must be percent-encoded");
  }
}
