import type { Endpoint } from "../../http/namespace.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import type { Engine } from "../../core/engine.ts";
import type { Examples } from "../../openapi/examples.ts";
import { drawGraph } from "./diagram.ts";
import type { Graph } from "./diagram.ts";
import type { Highlight } from "./highlight.ts";
import { RECIPES, programOf } from "./recipes.ts";
import { snippetsOf } from "./snippets.ts";
import type { SnippetRequest } from "./snippets.ts";
import { WORKED_EXAMPLES } from "./worked-examples.ts";
import type { WorkedExample } from "./worked-examples.ts";
import { toJsonSchema } from "../../openapi/schemas.ts";

interface Shown {
  readonly baseUrl: string;
  /** Every route of the reference. */
  readonly shown: readonly Endpoint[];
  /** What the build recorded. */
  readonly examples: Examples;
  readonly highlight: Highlight;
}

/** The page of an engine: its resources and states, requests and recipes that work on the demo shop, every route, every event. */
export async function enginePage(engine: Engine, page: Shown): Promise<Html> {
  const { baseUrl, highlight, shown } = page;
  const routes = shown.filter(({ namespace }) => namespace.name === engine.name);
  const examples = WORKED_EXAMPLES.filter((example) => example.engine === engine.name);
  const recipes = RECIPES.filter((recipe) => recipe.engine === engine.name);
  return html`<h1>${engine.name}</h1>
    <p class="lead">${engine.summary}</p>
    ${await conceptsOf(engine, routes)} ${examples.length > 0 && html`<h2 id="requests">Requests</h2>`}
    ${examples.map((example) => exampleBody(example, page))}
    ${recipes.length > 0 && html`<h2 id="recipes">Recipes</h2>`}
    ${recipes.map(
      (recipe) =>
        html`<h3>${recipe.title}</h3>
          <p>${recipe.why}</p>
          ${highlight(programOf(recipe, baseUrl), "javascript")}`,
    )}
    <h2 id="routes">Routes</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="routes">
      <table>
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col">Scope</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        ${Array.from(
          byResource(routes),
          ([resource, own]) =>
            html`<tbody>
              <tr>
                <th colspan="3" scope="rowgroup" id="routes-${resource}">${resource}</th>
              </tr>
              ${own.map(routeRow)}
            </tbody>`,
        )}
      </table>
    </div>
    ${
      engine.events.length > 0 &&
      html`<h2 id="events">Events</h2>
        <p>Sent to <a href="/docs/guides/webhooks">webhooks</a> that subscribe to them.</p>
        <dl>
          ${engine.events.map(
            ({ type, summary }) =>
              html`<dt><code>${type}</code></dt>
                <dd>${summary}</dd>`,
          )}
        </dl>`
    }`;
}

const drawn = new WeakMap<Engine, Promise<Html | null>>();

/** How the resources refer to each other, and the states that the engine declares; drawn once. */
function conceptsOf(engine: Engine, routes: readonly Endpoint[]): Promise<Html | null> {
  const known = drawn.get(engine) ?? drawConcepts(engine, routes);
  drawn.set(engine, known);
  return known;
}

async function drawConcepts(engine: Engine, routes: readonly Endpoint[]): Promise<Html | null> {
  const edges = resourceEdges(routes);
  const graphs: Graph[] = [
    ...(edges.length < 2 ? [] : [{ title: "Resources, and which others they refer to by id", edges }]),
    ...engine.states.map(({ moves, resource }) => ({
      title: `States of ${/^[aeiou]/i.test(resource) ? "an" : "a"} ${resource.toLowerCase()}`,
      edges: moves.map(({ action, from, to }) => ({ from, to, label: action })),
    })),
  ];
  if (graphs.length === 0) return null;
  return html`<h2 id="concepts">Concepts</h2>
    ${await Promise.all(graphs.map(drawGraph))}`;
}

/** Routes by the resource in their ids, which are `<engine>.<resource>.<verb>`. */
function byResource(routes: readonly Endpoint[]): ReadonlyMap<string, readonly Endpoint[]> {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of routes) {
    const resource = (endpoint.route.id.split(".")[1] ?? "").replaceAll("-", " ");
    groups.set(resource, [...(groups.get(resource) ?? []), endpoint]);
  }
  return groups;
}

const routeRow = (endpoint: Endpoint): Html =>
  html`<tr>
    <td>
      <a href="${referencePath(endpoint)}"
        ><code>${endpoint.route.method} ${breakable(endpoint.path)}</code></a
      >
    </td>
    <td class="whole"><code>${endpoint.scope ?? ""}</code></td>
    <td>${endpoint.route.summary}</td>
  </tr>`;

/** A path that a narrow window breaks between its segments, never inside one. */
const breakable = (path: string): Html =>
  html`${path.split(/(?<=.\/)/).map((segment, at) => html`${at === 0 ? null : html`<wbr />`}${segment}`)}`;

/** Where the reference shows a route. */
export const referencePath = ({ route, path, namespace }: Endpoint): string =>
  `/docs/reference/${namespace.name}#${route.method.toLowerCase()}-${path.replaceAll(/:(\w+)/g, "{$1}")}`;

/** The request that an example stands for. */
export function requestOf(
  example: WorkedExample,
  { baseUrl, shown }: Pick<Shown, "baseUrl" | "shown">,
): SnippetRequest {
  const endpoint = shown.find(({ route }) => route.id === example.route);
  if (endpoint === undefined) throw new Error(`Unknown route ${example.route}.`);
  const { route, path } = endpoint;
  const query = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]) => [name, String(value)]),
  ).toString();
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => example.params?.[name] ?? name);
  return {
    method: route.method,
    path: query === "" ? filled : `${filled}?${query}`,
    body: route.body === null ? undefined : (example.body ?? route.example.body),
    baseUrl,
  };
}

function exampleBody(example: WorkedExample, shown: Shown): Html {
  const data = shown.examples[example.route]?.data;
  return html`<h3 id="${example.route}">${example.title}</h3>
    <p>${example.why}</p>
    ${snippetsOf(requestOf(example, shown)).map(
      ({ language, title, text }, at) =>
        html`<details class="snippet" ${at === 0 && { html: "open" }}>
          <summary>${title}</summary>
          ${shown.highlight(text, language)}
        </details>`,
    )}
    ${
      data !== undefined &&
      html`<details class="snippet">
        <summary>Response: <code>data</code>, shortened</summary>
        ${shown.highlight(JSON.stringify(data, null, 2), "json")}
      </details>`
    }`;
}

type Edge = Graph["edges"][number];

/** Which resources of an engine hold ids of which others, read from the schemas of their routes. */
function resourceEdges(routes: readonly Endpoint[]): readonly Edge[] {
  const names = new Set(routes.map(resourceOf));
  const edges = new Map<string, Edge>();
  for (const endpoint of routes) {
    const from = resourceOf(endpoint);
    for (const member of membersIn(toJsonSchema(endpoint.route.data, "output"))) {
      const to = namedBy(member, names);
      if (to !== null && to !== from) edges.set(`${from} ${to}`, { from, to, label: "" });
    }
  }
  return [...edges.values()];
}

/** The resource of a route: ids are `<engine>.<resource>.<verb>`. */
const resourceOf = ({ route }: Endpoint): string => route.id.split(".")[1] ?? "";

/** Names of members at any depth of a schema. */
function membersIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(Object(value)) : []),
    ...membersIn(value),
  ]);
}

/** `slot_window_id` and `zone_ids` name slot-windows and zones. */
function namedBy(member: string, names: ReadonlySet<string>): string | null {
  const [, stem] = /^(\w+)_ids?$/.exec(member) ?? [];
  if (stem === undefined) return null;
  const name = stem.replaceAll("_", "-");
  const plurals = [`${name}s`, `${name}es`, name.replace(/y$/, "ies")];
  return plurals.find((plural) => names.has(plural)) ?? null;
}
