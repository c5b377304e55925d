import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checkAdded, checkHooks } from "./added.ts";
import { ConfigError } from "./config/error.ts";
import type { Extensions } from "./config/extensions.ts";
import type { Engine, EngineOutline } from "./core/engine.ts";
import { withHooks } from "./core/hooks.ts";
import { findBuilt } from "./core/package-root.ts";
import { joinEnginePorts } from "./core/ports.ts";
import type { EnginePorts } from "./core/ports.ts";
import { engineLoaders, namespacesOf, openScopesOf, outlineOf, scopesOf } from "./engines.ts";
import { groupLoaders } from "./groups.ts";
import { mountRoutes } from "./http/namespace.ts";
import type { Namespace, PathEntry } from "./http/namespace.ts";
import { untilIdle } from "./lib/idle.ts";
import { metricsNamespace, probesNamespace } from "./site/pages/probes.ts";

/** What a server has to know of its engines and groups before it loads them. The build writes it to a file. */
export interface Outline {
  readonly engines: readonly EngineOutline[];
  /** Names that no engine of a configuration can have. */
  readonly names: readonly string[];
  /** Full paths, by the name of the engine or group that serves them. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** Routes whose code is loaded together: those of an engine or a group. */
export interface Part {
  readonly name: string;
  readonly paths: readonly string[];
  /** The entry of one of its paths: a promise until its code is loaded, which the first call begins. */
  readonly entryAt: (path: string) => PathEntry | Promise<PathEntry>;
}

export interface Parts {
  readonly parts: readonly Part[];
  readonly engines: readonly EngineOutline[];
  readonly scopes: readonly string[];
  readonly openScopes: readonly string[];
  /** What engines answer each other. A question to an engine loads it. */
  readonly answers: EnginePorts;
  /** The engines of these names, or all, in the order of the list; loads those that are not loaded. */
  readonly loadEngines: (names?: readonly string[]) => Promise<readonly Engine[]>;
  /**
   * Loads one engine after another whenever the process has nothing else to do, so that no request waits for it; when they are loaded,
   * goes on with the other parts in the same way.
   */
  readonly loadOnIdle: (signal: AbortSignal) => Promise<void>;
  /** The engines that are loaded, in the order of the list; the same array until another one is loaded. */
  readonly loadedEngines: () => readonly Engine[];
}

/**
 * The engines and groups of a process. In the bundle their code is loaded when it is first used, in the source at once; engines and
 * hooks of a configuration are code that is loaded. Throws ConfigError where a name is taken or a hook has no route.
 */
export async function openParts({ engines: added = [], hooks = {} }: Extensions = {}): Promise<Parts> {
  const built = readOutline();
  const outline = built ?? (await (sourceOutline ??= outlineOfSource()));
  const problems = checkAdded(added, outline.names);
  if (problems.length > 0) throw new ConfigError("configuration", problems);

  const engines = [...outline.engines, ...added.map(outlineOf)];
  const sources = new Map<string, () => Promise<Engine>>([
    ...Object.entries(engineLoaders),
    ...added.map((engine) => [engine.name, async () => engine] as const),
  ]);
  const loaded = new Map<string, Engine>();
  let inOrder: readonly Engine[] = [];
  const loadEngine = async (name: string): Promise<Engine> => {
    const engine = loaded.get(name) ?? withHooks(await requireSource(sources, name)(), hooks);
    // Loaded twice at the same time: one of them is the engine.
    const kept = loaded.get(name) ?? engine;
    if (!loaded.has(name)) {
      loaded.set(name, kept);
      inOrder = engines.flatMap((one) => loaded.get(one.name) ?? []);
    }
    return kept;
  };
  const loadEngines: Parts["loadEngines"] = (names = engines.map(({ name }) => name)) =>
    Promise.all(engines.flatMap(({ name }) => (names.includes(name) ? [loadEngine(name)] : [])));

  const own = added.map(({ name }) => name);
  await loadEngines(built === null ? undefined : own);
  const hooked = Object.keys(hooks);
  const wrong = checkHooks(hooked, await loadEngines(hooked.map((id) => id.split(".", 1)[0] ?? "")));
  if (wrong.length > 0) throw new ConfigError("configuration", wrong);
  const parts = [
    createPart("probes", async () => [probesNamespace, metricsNamespace]),
    ...engines.map(({ name }) =>
      createPart(name, async () => namespacesOf(await loadEngine(name)), outline.paths[name]),
    ),
    ...Object.entries(groupLoaders).map(([name, load]) =>
      createPart(name, () => load(added), outline.paths[name]),
    ),
  ];
  const opened = await Promise.all(parts);
  const openRest = async (signal: AbortSignal): Promise<void> => {
    for (const { entryAt, paths } of opened) {
      await untilIdle(signal);
      if (signal.aborted) return;
      // What cannot be loaded fails the request that needs it.
      if (paths[0] !== undefined) await Promise.resolve(entryAt(paths[0])).catch(() => undefined);
    }
  };
  return {
    parts: opened,
    engines,
    scopes: scopesOf(engines),
    openScopes: openScopesOf(engines),
    answers: answersOf(engines, { loaded, loadEngine }),
    loadEngines,
    async loadOnIdle(signal) {
      for (const { name } of engines.filter((one) => !loaded.has(one.name))) {
        await untilIdle(signal);
        if (signal.aborted) return;
        await loadEngine(name);
      }
      void openRest(signal);
    },
    loadedEngines: () => inOrder,
  };
}

/** A part; one whose paths are not known is loaded at once. */
async function createPart(
  name: string,
  load: () => Promise<readonly Namespace[]>,
  paths?: readonly string[],
): Promise<Part> {
  let entries: ReadonlyMap<string, PathEntry> | null = null;
  const open = async (): Promise<ReadonlyMap<string, PathEntry>> =>
    (entries ??= new Map(mountRoutes(await load()).paths.map((entry) => [entry.path, entry])));
  const pick = (from: ReadonlyMap<string, PathEntry>, path: string): PathEntry => {
    const entry = from.get(path);
    if (entry === undefined)
      throw new Error(`${name} has no routes at ${path}: the build is older than its code.`);
    return entry;
  };
  return {
    name,
    paths: paths ?? [...(await open()).keys()],
    entryAt: (path) => (entries === null ? open().then((opened) => pick(opened, path)) : pick(entries, path)),
  };
}

function requireSource<T>(sources: ReadonlyMap<string, T>, name: string): T {
  const source = sources.get(name);
  if (source === undefined)
    throw new Error(`No engine has the name ${name}: the build is older than its code.`);
  return source;
}

/** The questions that engines answer, passed on to the engine, which is loaded for the first of them. */
function answersOf(
  engines: readonly EngineOutline[],
  {
    loaded,
    loadEngine,
  }: {
    readonly loaded: ReadonlyMap<string, Engine>;
    readonly loadEngine: (name: string) => Promise<Engine>;
  },
): EnginePorts {
  type Question = (...args: unknown[]) => unknown;
  const ask = (name: string, question: string): Question =>
    function (this: unknown, ...args) {
      const answer = (engine: Engine): unknown =>
        // The outline lists what the engine answers, and each answer is a function that returns a promise.
        (engine.answers as Readonly<Record<string, Question>>)[question]?.apply(this, args);
      const engine = loaded.get(name);
      return engine === undefined ? loadEngine(name).then(answer) : answer(engine);
    };
  return joinEnginePorts(
    engines.map(({ name, answers }) =>
      Object.fromEntries(answers.map((question) => [question, ask(name, question)])),
    ),
  );
}

/** Name of the file of the outline, in the folder of routes of the build. */
export const OUTLINE_FILE = "outline.json";

/** What the build wrote; null where the source runs. */
function readOutline(): Outline | null {
  const built = findBuilt();
  // The build writes what `outlineOfSource` returns.
  return built === null
    ? null
    : (JSON.parse(readFileSync(join(built, "routes", OUTLINE_FILE), "utf8")) as Outline);
}

let sourceOutline: Promise<Outline> | undefined;

/** The outline, from the engines and groups themselves: loads all of them. */
export async function outlineOfSource(): Promise<Outline> {
  const { engines, namespaces } = await import("./registry.ts");
  const paths: Record<string, readonly string[]> = {};
  for (const engine of engines) paths[engine.name] = pathsOf(namespacesOf(engine));
  for (const [name, load] of Object.entries(groupLoaders)) paths[name] = pathsOf(await load([]));
  return {
    engines: engines.map(outlineOf),
    names: [...new Set(namespaces.map(({ name }) => name))],
    paths,
  };
}

const pathsOf = (namespaces: readonly Namespace[]): string[] =>
  mountRoutes(namespaces).paths.map(({ path }) => path);
