import { readFileSync } from "node:fs";
import { join } from "node:path";

import type {
  NamespaceDetails,
  NamespaceLine,
  RouteDetails,
  RouteLine,
} from "../../server/openapi/manifest.ts";
import type { Engine } from "../../server/core/engine.ts";
import type { Method } from "../../server/core/route.ts";
import type { Registry } from "../../server/registry.ts";
import { findBuilt } from "../../server/core/package-root.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/**
 * The routes as the client needs them. The build writes them to files, because loading the engines takes
 * longer than a whole call; in a checkout they are computed from the source.
 */
export async function listEndpoints(): Promise<readonly RouteLine[]> {
  return (lines ??= [
    ...((readBuilt("index") as RouteLine[] | null) ?? (await listFromRegistry())),
    ...(added.length === 0 ? [] : (await fromEngines()).listRoutes()),
  ]);
}

/** The engines and the account, in the order of the registry. */
export async function listNamespaces(): Promise<readonly NamespaceLine[]> {
  const more = added.map(({ name, summary }) => ({ name, summary }));
  const built = readBuilt("namespaces") as readonly NamespaceLine[] | null;
  if (built !== null) return [...built, ...more];
  const [manifest, { namespaces }] = await fromSource();
  return [...manifest.listNamespaces(namespaces), ...more];
}

/** Sets the engines that the configuration adds to those of the platform. */
export function setEngines(engines: readonly Engine[]): void {
  if (engines.length === 0 && added.length === 0) return;
  added = engines;
  lines = undefined;
  details.clear();
}

/** Scopes, jobs and documented routes, those of the engines that the configuration adds included. Loads all engines. */
export async function loadRegistry(): Promise<Registry> {
  const { registryWith } = await import("../../server/registry.ts");
  return registryWith({ engines: added });
}

/** Schemas and example of a route. */
export async function detailsOf({ namespace, id }: RouteLine): Promise<RouteDetails> {
  // Kept before they are there: calls at the same time would each compute them.
  const found = details.get(namespace) ?? readDetails(namespace);
  details.set(namespace, found);
  const route = (await found)[id];
  if (route === undefined) throw new Error(`The list of routes does not include ${id}. Run npm run build.`);
  return route;
}

async function readDetails(namespace: string): Promise<NamespaceDetails> {
  if (added.some(({ name }) => name === namespace)) return (await fromEngines()).detailRoutes(namespace);
  return (readBuilt(namespace) as NamespaceDetails | null) ?? detailsFromRegistry(namespace);
}

/** The routes at a path, by method. */
export async function endpointsAt(path: string): Promise<Readonly<Partial<Record<Method, RouteLine>>>> {
  // rou3 is loaded for calls only: each file that `--help` loads takes a millisecond.
  const { addRoute, createRouter, findRoute } = await import("rou3");
  const byPath = new Map<string, AtPath>();
  for (const line of await listEndpoints())
    if (path.startsWith(fixedPart(line.path)))
      byPath.set(line.path, { ...byPath.get(line.path), [line.method]: line });
  const router = createRouter<AtPath>();
  for (const [template, entry] of byPath) addRoute(router, "", template, entry);
  return findRoute(router, "", path)?.data ?? {};
}

type AtPath = Partial<Record<Method, RouteLine>>;

let added: readonly Engine[] = [];
let lines: readonly RouteLine[] | undefined;
const details = new Map<string, Promise<NamespaceDetails>>();

/** The begin of a path that parameters do not change: a router of all 541 paths would take longer than the rest of a call. */
const fixedPart = (path: string): string => path.split(/\/[:*]/, 1)[0] ?? "";

/** A file of this build, written with the type that it is read as; null in a checkout. */
function readBuilt(name: string): unknown {
  const built = findBuilt();
  if (built === null) return null;
  try {
    return parseJson(readFileSync(join(built, "routes", `${name}.json`), "utf8"));
  } catch {
    return null;
  }
}

async function listFromRegistry(): Promise<readonly RouteLine[]> {
  const [{ listRoutes }, { namespaces }] = await fromSource();
  return listRoutes(namespaces);
}

async function detailsFromRegistry(name: string): Promise<NamespaceDetails> {
  const [{ detailRoutes }, { namespaces }] = await fromSource();
  return detailRoutes(namespaces, name);
}

async function fromEngines() {
  const [{ detailRoutes, listRoutes }, { engineNamespace }] = await Promise.all([
    import("../../server/openapi/manifest.ts"),
    import("../../server/http/namespace.ts"),
  ]);
  const namespaces = added.map(engineNamespace);
  return {
    listRoutes: () => listRoutes(namespaces),
    detailRoutes: (name: string) => detailRoutes(namespaces, name),
  };
}

const fromSource = () =>
  Promise.all([import("../../server/openapi/manifest.ts"), import("../../server/registry.ts")]);
