import type { Outgoing } from "./messages.ts";

/** Path of the base URL, as in `/shop`; empty where the service has its host to itself. */
export const basePathOf = (baseUrl: string): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, "") : "";

/** Links of pages to other routes of the service. Links that shops write into their texts lead elsewhere. */
const OWN_LINK =
  /(\s(?:action|formaction|href|spec-url|src)=")(?=\/(?:_|api|docs|signup|v1)[/"?]|\/(?:elements|llms|openapi)[.?"]|\/")/g;

/** Prefixes what an answer refers to by a path alone: `Location`, the path of a cookie, links of a page. */
export function below(base: string, out: Outgoing): Outgoing {
  let isPage = false;
  const headers = out.headers.map((value, index) => {
    if (index % 2 === 0) return value;
    const name = (out.headers[index - 1] ?? "").toLowerCase();
    if (name === "content-type") isPage = value.startsWith("text/html");
    if (name === "location" && value.startsWith("/")) return base + value;
    return name === "set-cookie" ? value.replace("; Path=/", `; Path=${base}/`) : value;
  });
  if (!isPage || typeof out.body !== "string") return { ...out, headers };
  return { status: out.status, headers, body: out.body.replace(OWN_LINK, `$1${base}`) };
}
