import { StoreError } from "./contract.ts";
import type { Check, Doc, Key, Op, StoreDriver } from "./contract.ts";
import { splitKey } from "./keys.ts";
import { OWN_PART } from "./own.ts";
import { eachDoc } from "./walk.ts";

/** What the service knows of one collection's indexes. */
export interface Indexed {
  /** Collections of its index entries: `ix.<collection>.<index>`. */
  readonly indexes: readonly string[];
  /** The entries that a stored text must have. Throws when it cannot read the text. */
  entriesOf(text: string): readonly (readonly [coll: string, id: string])[];
}

export interface VerifyOptions {
  /** The indexes of a collection by its name; null for one that this version does not know. */
  readonly indexed?: (coll: string) => Indexed | null;
  /** Remove entries that should not be there and add those that are missing. */
  readonly fix?: boolean;
}

export interface Problem {
  readonly key: Key;
  readonly problem: string;
  readonly fixed: boolean;
}

export interface Verification {
  readonly documents: number;
  /** Total of problems, those that were fixed among them; `problems` names the first `PROBLEMS_MAX`. */
  readonly problemCount: number;
  readonly fixedCount: number;
  readonly problems: readonly Problem[];
}

const PROBLEMS_MAX = 1000;

/**
 * Reads every document: each must be JSON and have exactly the index entries that its collection gives it. On fs this also
 * checks every checksum again. Writers may go on: a suspected fault is read once more on its own before it is reported, and
 * repaired only if it still exists at the commit.
 */
export async function verifyStore(store: StoreDriver, options: VerifyOptions = {}): Promise<Verification> {
  const { indexed = () => null, fix = false } = options;
  const problems: Problem[] = [];
  const total = { documents: 0, problems: 0, fixed: 0 };
  const add = (found: Problem): void => {
    total.problems++;
    if (found.fixed) total.fixed++;
    if (problems.length < PROBLEMS_MAX) problems.push(found);
  };
  const report = async (suspect: Suspect): Promise<void> => {
    const found = await examine(store, suspect, fix);
    if (found !== null) add(found);
  };
  for (const part of (await store.partitions()).filter((name) => name !== OWN_PART)) {
    const colls = await store.collections(part);
    if ((await store.recount?.(part, fix)) === true)
      add({ key: `${part}:*:*`, problem: "the stored usage is wrong", fixed: fix });
    // First all lists, since a document is looked up in other collections than its own.
    for (const { name } of colls) for await (const found of misplacedIn(store, part, name, fix)) add(found);
    for (const { name } of colls) {
      try {
        for await (const docs of toPages(eachDoc(store, part, { coll: name }))) {
          total.documents += docs.length;
          const look = { store, indexed, part, coll: name };
          for (const suspect of await suspectsOf(look, docs)) await report(suspect);
        }
      } catch (error) {
        // Where documents are independent of each other, the other collections can be checked all the same.
        if (store.relist === undefined || !(error instanceof StoreError) || error.code !== "CORRUPT")
          throw error;
        add({
          key: `${part}:${name}:*`,
          problem: `cannot be read completely: ${error.message}`,
          fixed: false,
        });
      }
    }
  }
  return {
    documents: total.documents,
    problemCount: total.problems,
    fixedCount: total.fixed,
    problems,
  };
}

async function* misplacedIn(
  store: StoreDriver,
  part: string,
  coll: string,
  fix: boolean,
): AsyncGenerator<Problem> {
  if (store.relist === undefined) return;
  for await (const { id, problem, fixed } of store.relist(part, coll, fix))
    yield { key: `${part}:${coll}:${id ?? "*"}`, problem, fixed };
}

/** Something to look at more closely; null when all is well with it after all. */
type Suspect = () => Promise<Finding | null>;

interface Finding {
  readonly key: Key;
  readonly problem: string;
  /** The remedy, if there is one. */
  readonly repair?: { readonly op: Op; readonly checks: readonly Check[] };
}

const TRIES = 3;

/** Looks again, and repairs what is still wrong when the repair is committed. */
async function examine(store: StoreDriver, suspect: Suspect, fix: boolean): Promise<Problem | null> {
  for (let attempt = 0; ; attempt++) {
    const finding = await suspect();
    if (finding === null) return null;
    const { key, problem, repair } = finding;
    if (!fix || repair === undefined || attempt === TRIES) return { key, problem, fixed: false };
    const { ok } = await store.commit(splitKey(key).part, [repair.op], repair.checks);
    if (ok) return { key, problem, fixed: true };
  }
}

interface Look {
  readonly store: StoreDriver;
  readonly indexed: (coll: string) => Indexed | null;
  readonly part: string;
  readonly coll: string;
}

const PAGE = 200;

async function* toPages(docs: AsyncIterable<Doc>): AsyncGenerator<Doc[]> {
  let page: Doc[] = [];
  for await (const doc of docs) {
    page.push(doc);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function suspectsOf(look: Look, docs: readonly Doc[]): Promise<Suspect[]> {
  const base = /^ix\.(.+)\.[^.]+$/.exec(look.coll)?.[1];
  return base === undefined ? suspectDocuments(look, docs) : suspectEntries(look, base, docs);
}

/** Documents that are unreadable, and entries that are missing. */
async function suspectDocuments(
  { store, indexed, part, coll }: Look,
  docs: readonly Doc[],
): Promise<Suspect[]> {
  const known = indexed(coll);
  const suspects: Suspect[] = [];
  const wanted: { readonly doc: Key; readonly entry: Key }[] = [];
  for (const { key, value } of docs) {
    const entries = readEntries(known, part, value);
    if (typeof entries !== "string") wanted.push(...entries.map((entry) => ({ doc: key, entry })));
    else suspects.push(async () => ({ key, problem: entries }));
  }
  const found = await getAll(
    store,
    wanted.map(({ entry }) => entry),
  );
  for (const [i, { doc, entry }] of wanted.entries()) {
    if (found[i] === null) suspects.push(() => findMissing({ store, known, part }, doc, entry));
  }
  return suspects;
}

interface Known {
  readonly store: StoreDriver;
  readonly known: Indexed | null;
  readonly part: string;
}

async function findMissing({ store, known, part }: Known, doc: Key, entry: Key): Promise<Finding | null> {
  const [owner, found] = await store.getMany([doc, entry]);
  if (owner === undefined || owner === null || (found ?? null) !== null) return null;
  const entries = readEntries(known, part, owner.value);
  if (typeof entries === "string" || !entries.includes(entry)) return null;
  return {
    key: entry,
    problem: `is missing: ${doc} is not listed there`,
    repair: {
      op: { put: entry, value: "1" },
      checks: [
        { key: doc, version: owner.version },
        { key: entry, version: 0 },
      ],
    },
  };
}

/** Entries that point nowhere, or that their document does not have. */
async function suspectEntries(
  { store, indexed, part, coll }: Look,
  base: string,
  entries: readonly Doc[],
): Promise<Suspect[]> {
  const on = { store, known: indexed(base), part };
  const pairs = entries.flatMap(({ key }) => {
    const target = targetOf(key, base);
    return target === null ? [] : [{ entry: key, target }];
  });
  const targets = await getAll(
    store,
    pairs.map(({ target }) => target),
  );
  return pairs.flatMap(({ entry, target }, i) => {
    const problem = problemOf(on, coll, { entry, target, doc: targets[i] ?? null });
    return problem === null ? [] : [() => findStale(on, coll, { entry, target })];
  });
}

async function findStale(
  on: Known,
  coll: string,
  { entry, target }: { readonly entry: Key; readonly target: Key },
): Promise<Finding | null> {
  const [found = null, doc = null] = await on.store.getMany([entry, target]);
  const problem = found === null ? null : problemOf(on, coll, { entry, target, doc });
  if (found === null || problem === null) return null;
  const checks = [
    { key: entry, version: found.version },
    { key: target, version: doc?.version ?? 0 },
  ];
  return { key: entry, problem, repair: { op: { del: entry }, checks } };
}

function problemOf(
  { known, part }: Known,
  coll: string,
  { entry, target, doc }: { readonly entry: Key; readonly target: Key; readonly doc: Doc | null },
): string | null {
  if (doc === null) return `references ${target}, which does not exist`;
  if (known === null) return null;
  if (!known.indexes.includes(coll)) return "belongs to no index of this version";
  const entries = readEntries(known, part, doc.value);
  // A fault of the document is reported for the document.
  if (typeof entries === "string" || entries.includes(entry)) return null;
  return `does not match the current state of ${target}`;
}

/** The document that an entry points at; null for what is no entry. */
function targetOf(entry: Key, base: string): Key | null {
  const { part, id } = splitKey(entry);
  const at = id.lastIndexOf("~");
  return at < 0 || at === id.length - 1 ? null : `${part}:${base}:${id.slice(at + 1)}`;
}

/** The keys of the entries that a text must have, or what is wrong with the text. */
function readEntries(known: Indexed | null, part: string, text: string): Key[] | string {
  try {
    if (known !== null) return known.entriesOf(text).map(([coll, id]): Key => `${part}:${coll}:${id}`);
    JSON.parse(text);
    return [];
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return isJson(text) ? `cannot be read: ${messageOf(error)}` : "is not JSON";
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 200) ?? "";

const GET_MAX = 500;

async function getAll(store: StoreDriver, keys: readonly Key[]): Promise<(Doc | null)[]> {
  const found: (Doc | null)[] = [];
  for (let i = 0; i < keys.length; i += GET_MAX)
    found.push(...(await store.getMany(keys.slice(i, i + GET_MAX))));
  return found;
}
