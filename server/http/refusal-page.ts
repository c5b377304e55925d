import { chooseLocale } from "../core/words.ts";
import type { Reply } from "../core/reply.ts";
import type { Refused } from "../core/route.ts";
import type { Exchange } from "./exchange.ts";
import type { Incoming, Outgoing } from "./messages.ts";
import type { Refusal } from "./problem.ts";
import { toRawAnswer } from "./send.ts";

/**
 * The refusal of a request by a browser as a page, where the route or its namespace has pages for people: same status, same
 * headers. `rest` shows paths that no route has. Null for everybody else, who gets problem+json.
 */
export function toRefusalPage(
  exchange: Exchange,
  { detail, options, type }: Refusal,
  rest: (refused: Refused) => Reply<never>,
): Outgoing | null {
  const { endpoint, headers, path, req, requestId } = exchange;
  if (!isBrowser(req)) return null;
  const isNowhere = endpoint === null && type === "not_found" && req.method === "GET" && !API.test(path);
  const show = endpoint?.route.refusal ?? endpoint?.namespace.refusal ?? (isNowhere ? rest : null);
  if (show === null) return null;
  const wait = options.headers?.["Retry-After"];
  const reply = show({
    type,
    detail,
    requestId,
    waitSeconds: wait === undefined ? null : Number(wait),
    isPost: req.method === "POST",
    locale: chooseLocale(req.header("accept-language"), null),
  });
  if (reply.kind !== "raw") return null;
  headers.push(...Object.entries(options.headers ?? {}).flat());
  return toRawAnswer(exchange, reply);
}

/** Below it, clients are programs, whatever they accept. */
const API = /^\/(?:v1|api)\//;

/** What a form of HTML can send; a program that reads pages says JSON, or asks for none. */
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(;|$)/i;

/** A browser that opens a page or sends a form: `Accept` names text/html. */
function isBrowser(req: Incoming): boolean {
  if (!/\btext\/html\b/i.test(req.header("accept") ?? "")) return false;
  return req.method !== "POST" || FORM_TYPE.test(req.header("content-type") ?? "");
}
