// The OpenAPI document as its readers take it: references followed, parameters of a path joined to those of its operations.

export type Tree = Readonly<Record<string, unknown>>;

export interface DocumentedOperation {
  /** `GET /v1/menus/items/{id}` or `webhook reviews.review.created`. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Tree;
  /** Those of the path and its own, references followed. */
  readonly parameters: readonly Tree[];
}

export const memberOf = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (found, name) =>
      typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? Reflect.get(found, name)
        : undefined,
    value,
  );

export const treeOf = (value: unknown): Tree => ({ ...Object(value) });

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a reference refers to, with the members next to it, or a schema with the members of its `allOf`; anything else is itself. */
export function follow(root: unknown, value: unknown): unknown {
  const { $ref: reference, allOf, ...own } = treeOf(value);
  if (typeof reference === "string") {
    const target = follow(root, memberOf(root, ...placeOf(reference)));
    return Object.keys(own).length === 0 ? target : { ...treeOf(target), ...own };
  }
  if (!Array.isArray(allOf)) return value;
  const bases = allOf.map((base) => treeOf(follow(root, base)));
  const all = [...bases, own];
  return {
    ...Object.assign({}, ...bases),
    ...own,
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: [...new Set(all.flatMap(({ required }) => listOf(required)))],
  };
}

/** `#/components/schemas/Review` → its members from the root on. */
export const placeOf = (reference: string): string[] => reference.slice(2).split("/");

export const operationsOf = (document: unknown): DocumentedOperation[] =>
  Object.entries(treeOf(memberOf(document, "paths"))).flatMap(([path, item]) =>
    ofItem(document, path, treeOf(item)),
  );

export const webhooksOf = (document: unknown): DocumentedOperation[] =>
  Object.entries(treeOf(memberOf(document, "webhooks"))).flatMap(([type, item]) =>
    ofItem(document, type, treeOf(item)).map((operation) => ({ ...operation, title: `webhook ${type}` })),
  );

function ofItem(root: unknown, path: string, { parameters: shared, ...item }: Tree): DocumentedOperation[] {
  return Object.entries(item).map(([method, value]) => {
    const operation = treeOf(value);
    const parameters = [...listOf(shared), ...listOf(operation["parameters"])].map((one) =>
      treeOf(follow(root, one)),
    );
    return {
      title: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      parameters,
    };
  });
}

/** Documented responses by status: those under a number of their own, and those that `default` lists. */
export function responsesOf(root: unknown, operation: unknown): ReadonlyMap<number, Tree> {
  const { default: rest, ...own } = treeOf(memberOf(operation, "responses"));
  const shared = treeOf(follow(root, rest));
  return new Map([
    ...listOf(shared["x-statuses"]).map((status) => [Number(status), shared] as const),
    ...Object.entries(own).map(
      ([status, response]) => [Number(status), treeOf(follow(root, response))] as const,
    ),
  ]);
}

const PROSE = new Set(["description", "summary", "title"]);
const isProse = (name: string, member: unknown): boolean =>
  (PROSE.has(name) && typeof member === "string") || /^examples?$/.test(name);

/**
 * A part without prose and examples, its references replaced; one that leads back into itself stays, with the number of levels
 * between. Members are in alphabetical order: neither the order nor the components in which a part is written change the contract.
 */
export function structureOf(
  root: unknown,
  part: unknown,
  within: ReadonlyMap<string, number> = new Map(),
  level = 0,
): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((member) => structureOf(root, member, within, level + 1));
  const { $ref: reference, ...own } = treeOf(part);
  if (typeof reference === "string") {
    // The name of a component may change, what it refers to may not.
    const before = within.get(reference);
    if (before !== undefined) return { recursive: level - before };
    const target = { ...treeOf(memberOf(root, ...placeOf(reference))), ...own };
    return structureOf(root, target, new Map([...within, [reference, level]]), level);
  }
  const { required, ...members } = treeOf(follow(root, part));
  return Object.fromEntries(
    Object.entries({ ...members, ...(required === undefined ? {} : { required: sorted(required) }) })
      .filter(([name, member]) => !isProse(name, member))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, structureOf(root, member, within, level + 1)]),
  );
}

const sorted = (required: unknown): unknown =>
  Array.isArray(required) ? required.map(String).toSorted((a, b) => (a < b ? -1 : 1)) : required;

/** A document without prose and examples, its references as they are. */
export function withoutProse(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(withoutProse);
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name, member]) => !isProse(name, member))
      .map(([name, member]) => [name, withoutProse(member)]),
  );
}

/** What a client depends on of an operation. */
export function contractOf(root: unknown, { operation, parameters }: DocumentedOperation): unknown {
  const { tags: _tags, responses: _responses, ...rest } = operation;
  return structureOf(root, {
    ...rest,
    parameters: parameters.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b))),
    responses: Object.fromEntries(responsesOf(root, operation)),
  });
}

const sortKey = ({ in: place, name }: Tree): string => `${String(place)} ${String(name)}`;
