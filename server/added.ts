import type { ConfigProblem } from "./config/error.ts";
import type { Engine } from "./core/engine.ts";

/** Why engines of a configuration cannot be added: a name is taken, or something in them has another name. */
export function checkAdded(added: readonly Engine[], names: readonly string[]): ConfigProblem[] {
  const taken = new Set(names);
  return added.flatMap((engine, index) => {
    const message = problemOf(engine, taken);
    taken.add(engine.name);
    return message === null
      ? []
      : [{ path: `engines[${index}].name`, message, value: engine.name, origin: "configuration" }];
  });
}

/** Why hooks cannot be added: `engines` are those that their ids begin with. */
export function checkHooks(ids: readonly string[], engines: readonly Engine[]): ConfigProblem[] {
  const routes = new Set(engines.flatMap((engine) => engine.routes.map(({ id }) => id)));
  return ids
    .filter((id) => !routes.has(id))
    .map((id) => ({
      path: "hooks",
      message: `no route of an engine has the id ${JSON.stringify(id)}`,
      value: id,
      origin: "configuration",
    }));
}

function problemOf(
  { name, routes, jobs, hooks, links, events }: Engine,
  taken: ReadonlySet<string>,
): string | null {
  if (taken.has(name)) return `the name ${JSON.stringify(name)} is taken`;
  const ids = [...routes.map(({ id }) => id), ...jobs.map(({ id }) => id), ...events.map(({ type }) => type)];
  const other =
    ids.find((id) => !id.startsWith(`${name}.`)) ??
    hooks.find(({ id }) => !id.startsWith(`hooks.${name}`))?.id ??
    links.find(({ id }) => !id.startsWith(`public.${name}`))?.id;
  return other === undefined
    ? null
    : `${JSON.stringify(other)} must begin with the name of its engine, ${JSON.stringify(name)}`;
}
