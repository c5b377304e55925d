import { eventTypesOf } from "../accounts/event-types.ts";
import { wantsEvent } from "../core/events.ts";
import { fail } from "../lib/errors.ts";
import type { OperationsCtx } from "./context.ts";

// A route of the account shows and changes data of engines: what a key may reach there is what it may reach in those engines.

type Caller = Pick<OperationsCtx, "scopes" | "deps">;

/** Throws 403 with the scopes that the key lacks. */
function requireScopes({ scopes }: Caller, needed: readonly string[], purpose: string): void {
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const noun = missing.length === 1 ? "scope" : "scopes";
  throw fail("forbidden", `This API key lacks the ${noun} ${missing.join(", ")} required to ${purpose}.`, {
    headers: {
      "WWW-Authenticate": `Bearer realm="platform", error="insufficient_scope", scope="${missing.join(" ")}"`,
    },
  });
}

/** Scopes to read the events that a list of patterns covers. */
function eventScopes({ engines }: Caller["deps"], patterns: readonly string[]): string[] {
  const names = new Set(engines.map(({ name }) => name));
  const engineOf = (type: string): string => type.slice(0, type.indexOf("."));
  const matched = eventTypesOf(engines).filter(({ type }) => wantsEvent(patterns, type));
  // A type that an engine no longer has is still in what was sent of it.
  const all = [...matched.map(({ type }) => type), ...patterns.filter((pattern) => pattern !== "*")];
  const scopes = all.map((type) => `${names.has(engineOf(type)) ? engineOf(type) : "account"}:read`);
  return [...new Set(scopes)];
}

export const mayReadEvents = (caller: Caller, patterns: readonly string[]): boolean =>
  eventScopes(caller.deps, patterns).every((scope) => caller.scopes.has(scope));

/** Throws 403 for a key that may not read all events that the patterns cover. */
export const requireEvents = (caller: Caller, patterns: readonly string[]): void =>
  requireScopes(caller, eventScopes(caller.deps, patterns), "read these events");

/**
 * Throws 403 for a key that may not read (`export`), or as an owner change (`erase`), what any engine stores: a person's
 * data are exported and erased as a whole.
 */
export function requirePersonalData(caller: Caller, type: "export" | "erase"): void {
  const { engines } = caller.deps;
  const needed =
    type === "export"
      ? engines.map(({ name }) => `${name}:read`)
      : ["account:manage", ...engines.map(({ name }) => `${name}:write`)];
  requireScopes(caller, needed, `${type} a person's data`);
}
