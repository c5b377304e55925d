import type { Config } from "../config/schema.ts";

/** Two failed checks of a proxy that checks every two seconds, and a bit. */
const BEHIND_PROXY_SECONDS = 5;

/** How long a stopping server answers requests while /readyz is 503, so that proxies send it no more. */
export const lameDuckMs = ({
  lameDuckSeconds,
  trustedProxies,
}: Pick<Config["server"], "lameDuckSeconds" | "trustedProxies">): number =>
  1000 * (lameDuckSeconds ?? (trustedProxies.length > 0 ? BEHIND_PROXY_SECONDS : 0));
