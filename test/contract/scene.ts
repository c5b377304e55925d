import type { Collection } from "../../server/core/collection.ts";
import { storePartition } from "../../server/core/partitions.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";
import { createWorld, endpoints, requestOf } from "./world.ts";
import type { World } from "./world.ts";
import { makeUp } from "../support/state-changes.ts";

type Json = Readonly<Record<string, unknown>>;

/** Where an example is sent instead, and with which members in its body. */
export interface Target {
  /** The first parameter of the path. */
  readonly to?: string | undefined;
  readonly path?: string;
  readonly body?: object;
  readonly key?: TestKey;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A store with demo data, brought into the state in which a route refuses its own example. */
export interface Scene {
  readonly harness: Harness;
  readonly world: World;
  readonly part: string;
  /** Sends the example of a route to one document, with other members in its body. */
  send(id: string, target?: Target): Promise<Answer>;
  /** `data` of what `send` returns; throws where it is refused. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  must(id: string, target?: Target): Promise<any>;
  /** Changes members of the first document that qualifies, behind the API, and returns its id; null of `change` leaves it. */
  edit<T extends { id: string }>(
    collection: Collection<T>,
    change: (value: T) => Partial<T> | null,
  ): Promise<string>;
  /** Stores copies of a document under ids of their own. */
  copy<T extends { id: string }>(collection: Collection<T>, id: string, count: number): Promise<void>;
  /** What a successful POST of the store returns. */
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  post(path: string, body?: object): Promise<any>;
}

export async function createScene(
  harness: Harness,
  options: Parameters<typeof createWorld>[1] = {},
  namespace?: string,
): Promise<Scene> {
  const world = await createWorld(harness, options, namespace);
  const part = storePartition(world.key.storeId, "live");
  const { runTx } = harness.services;
  const accepted = (answer: Answer, what: string) => {
    if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.json.data;
  };
  const send: Scene["send"] = async (id, { to, body, key, ...target } = {}) => {
    const endpoint = endpoints.find(({ route }) => route.id === id);
    if (endpoint === undefined) throw new Error(`There is no route ${id}.`);
    const request = requestOf(endpoint, world);
    const example: Json = Object("body" in request ? request.body : {});
    // What `to` replaces: the first parameter; the others are those of the example.
    const at = endpoint.path.split("/").findIndex((segment) => segment.startsWith(":"));
    const path =
      target.path ?? (to === undefined ? request.path : request.path.split("/").with(at, to).join("/"));
    return harness.call(request.method, path, {
      key: key ?? (endpoint.namespace.auth === "admin" ? harness.adminToken : world.key),
      ...("body" in request ? { body: { ...example, ...body } } : {}),
      ...(target.headers === undefined ? {} : { headers: target.headers }),
    });
  };
  return {
    harness,
    world,
    part,
    send,
    must: async (id, target) => accepted(await send(id, target), id),
    edit: (collection, change) =>
      makeUp(() =>
        runTx(part, async (tx) => {
          const { items } = await tx.peekPage(collection, { limit: 500 });
          for (const { id } of items) {
            const before = await tx.require(collection, id);
            const changes = change(before.value);
            if (changes === null) continue;
            tx.put(collection, before, { ...before.value, ...changes });
            return id;
          }
          throw new Error(`No document of ${collection.name} qualifies.`);
        }),
      ),
    copy: (collection, id, count) => copyIn(harness, part, { collection, id, count }),
    post: async (path, body = {}) =>
      accepted(await harness.call("POST", path, { key: world.key, body }), path),
  };
}

/** Stores copies of a document under ids of their own, twenty in a commit. */
export async function copyIn<T extends { id: string }>(
  { services: { newId, runTx } }: Harness,
  part: string,
  { collection, id, count }: { collection: Collection<T>; id: string; count: number },
): Promise<void> {
  for (let left = count; left > 0; left -= 20) {
    await runTx(part, async (tx) => {
      const { value } = await tx.require(collection, id);
      for (let n = 0; n < Math.min(left, 20); n += 1) {
        tx.create(collection, { ...value, id: newId(id.split("_")[0] ?? "doc") });
      }
    });
  }
}

/** A route, a code of an error that it declares, and how a store with demo data comes to be refused with it. */
export type Refusal = readonly [id: string, code: string, play: (scene: Scene) => Promise<Answer>];
