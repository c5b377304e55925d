import type { Doc, Page, PageOptions, StoreDriver } from "../contract.ts";
import { assertPage, splitKey } from "../keys.ts";
import type { KeyParts } from "../keys.ts";
import { createMemo } from "../memo.ts";
import { charsOf, nameOf } from "../pages.ts";
import { toDoc } from "./doc.ts";
import { corrupt, toArray } from "./errors.ts";
import { createShared } from "./turns.ts";
import type { Step, TurnCall, Turns } from "./turns.ts";

/** Characters of documents, and again of pages, that a node keeps. */
const CHARS_MAX = 16_777_216;
/** Longer pages and groups are what tools walk through to verify or copy: they are read in Redis. */
const PAGE_KEPT_MAX = 500;
/** A list asks for one more document than a page has. */
const DOCS_KEPT_MAX = 101;
/**
 * How often what is larger than one answer is read from its beginning, because it was written meanwhile. Then each document is as some
 * commit left it while it was read, though not all as the same one did.
 */
const TRIES = 3;
/** Larger pages of a collection are read one after another, and not among what others wait for; nor are documents that a call leaves out. */
const LARGE_PAGE_CHARS = 262_144;
/** Characters of names of collections of which the size of documents is known. */
const SIZES_CHARS_MAX = 1_048_576;

/** What was read, and the revisions of its collections at that moment. */
interface Known<T> {
  readonly value: T;
  readonly revisions: readonly string[];
}

/** What one answer says of a reading: the documents that it has room for, and which belong to it. */
interface Reply<T> {
  readonly raws: readonly unknown[];
  readonly keys: readonly Place[];
  /** Documents that the value needs; without the others it is complete, too. */
  readonly needed: number;
  /** `isWhole`: all are of one moment. */
  readonly decode: (raws: readonly unknown[], isWhole: boolean) => T;
}

type Place = Pick<KeyParts, "coll" | "id">;

/** Something to read in one partition. */
interface Reading<T> {
  readonly name: string;
  readonly part: string;
  /** The collections that it depends on. */
  readonly colls: readonly string[];
  /** Documents that it reads at most. */
  readonly docs: number;
  /** What it is in line with, if it is large. */
  readonly line?: string;
  readonly isKept: boolean;
  /** Adds its question about collections in `slots`, of which `known` has the revisions. */
  readonly ask: (call: TurnCall, slots: readonly number[], known: readonly string[]) => Step;
  readonly open: (reply: unknown) => Reply<T>;
}

/**
 * Reads share one call with all others of the turn. A node keeps what it has read; Redis compares the revisions and answers with
 * what has changed only, so that each read is as current as if it had carried everything.
 */
export function createReads(turns: Turns): Pick<StoreDriver, "get" | "getMany" | "page"> {
  const readDocs = createReader<readonly (Doc | null)[]>(turns, (docs) => docs);
  const readPage = createReader<Page>(turns, ({ items }) => items);
  return {
    async get(key) {
      return (await readDocs(toGroup([splitKey(key)])))[0] ?? null;
    },
    async getMany(keys) {
      const groups = groupByPart(keys.map(splitKey));
      const found: (Doc | null)[] = keys.map(() => null);
      const readGroup = async (wanted: readonly Wanted[]): Promise<void> => {
        const docs = await readDocs(toGroup(wanted.map(({ key }) => key)));
        for (const [i, { index }] of wanted.entries()) found[index] = docs[i] ?? null;
      };
      await Promise.all([...groups.values()].map(readGroup));
      return found;
    },
    async page(part, coll, options) {
      assertPage(part, coll, options);
      return readPage(toPage(part, coll, options));
    },
  };
}

/** Large readings that wait for each other. */
interface Line<T> {
  /** By name, those that have not begun: what is asked now may have their answer. */
  readonly waiting: Map<string, Promise<T>>;
  /** Ends with the last one. */
  end: Promise<unknown>;
}

function createReader<T>(
  turns: Turns,
  docsOf: (value: T) => readonly (Doc | null)[],
): (reading: Reading<T>) => Promise<T> {
  const memo = createMemo<Known<T>>(CHARS_MAX);
  const shared = createShared<Promise<T>>();
  /** Characters of a document of a line, by the reading before. */
  const sizes = createMemo<number>(SIZES_CHARS_MAX);
  const lines = new Map<string, Line<T>>();

  async function ask(reading: Reading<T>, first: TurnCall, known: Known<T> | undefined): Promise<T> {
    for (let tries = 1; ; tries++) {
      const call = tries === 1 ? first : turns.join(reading.part, reading.docs, true);
      const slots = reading.colls.map((coll) => call.slot(reading.part, coll));
      const step = reading.ask(call, slots, known?.revisions ?? []);
      const answers = await call.answered;
      const reply = answers.of(step);
      if (reply === 1 && known !== undefined) return known.value;
      const found = reading.open(reply);
      if (!call.isLarge && found.raws.length < found.needed)
        return readInLine(reading, reading.line ?? reading.part);
      const revisions = slots.flatMap((slot) => answers.revision(slot) ?? []);
      const { raws, isWhole } = await readRest(reading, found, revisions);
      if (isWhole) return keep(reading, found.decode(raws, true), revisions);
      if (tries === TRIES) return found.decode(raws, false);
    }
  }

  function keep(reading: Reading<T>, value: T, revisions: readonly string[]): T {
    const docs = docsOf(value);
    const chars = charsOf(docs);
    if (reading.line !== undefined)
      sizes.keep(reading.line, chars / Math.max(1, docs.length), reading.line.length);
    if (reading.isKept && revisions.length === reading.colls.length)
      memo.keep(reading.name, { value, revisions }, reading.name.length + chars);
    return value;
  }

  /** What the first answer had no room for, in calls between which Redis answers others. */
  async function readRest(
    { part, colls }: Reading<T>,
    { raws, keys, needed }: Reply<T>,
    revisions: readonly string[],
  ): Promise<{ readonly raws: readonly unknown[]; readonly isWhole: boolean }> {
    const all = [...raws];
    let isWhole = true;
    while (all.length < needed) {
      const rest = keys.slice(all.length, all.length + DOCS_KEPT_MAX);
      const call = turns.join(part, rest.length, true);
      const slots = colls.map((coll) => call.slot(part, coll));
      const step = askDocs(call, part, rest);
      const answers = await call.answered;
      isWhole &&= slots.every((slot, i) => answers.revision(slot) === revisions[i]);
      all.push(...toArray(answers.of(step)));
    }
    return { raws: all, isWhole };
  }

  function read(reading: Reading<T>, isLarge = false): Promise<T> {
    const known = reading.isKept ? memo.get(reading.name) : undefined;
    const call = turns.join(reading.part, known === undefined ? reading.docs : 0, isLarge);
    return shared(call, reading.name, () => ask(reading, call, known));
  }

  function readInLine(reading: Reading<T>, name: string): Promise<T> {
    const line = lines.get(name) ?? { waiting: new Map<string, Promise<T>>(), end: Promise.resolve() };
    lines.set(name, line);
    const waiting = line.waiting.get(reading.name);
    if (waiting !== undefined) return waiting;
    const result = line.end.then(() => {
      line.waiting.delete(reading.name);
      return read(reading, true);
    });
    line.waiting.set(reading.name, result);
    const end = result.then(ignore, ignore).then(() => {
      if (line.end === end) lines.delete(name);
    });
    line.end = end;
    return result;
  }

  return (reading) => {
    const { line, docs } = reading;
    const isSmall = line === undefined || (sizes.get(line) ?? Infinity) * docs <= LARGE_PAGE_CHARS;
    return isSmall ? read(reading) : readInLine(reading, line);
  };
}

const ignore = (): void => undefined;

const NONE_KNOWN = { slots: [], known: [] };

/** Asks for documents, of which `slots` has the collections and `known` the revisions. */
function askDocs(
  call: TurnCall,
  part: string,
  places: readonly Place[],
  { slots, known }: { readonly slots: readonly number[]; readonly known: readonly string[] } = NONE_KNOWN,
): Step {
  const { docs } = call.own(part);
  const args = places.flatMap(({ coll, id }, i) => [call.key(docs(coll)), id, slots[i] ?? 0, known[i] ?? ""]);
  return call.ask("docs", [places.length, ...args]);
}

/** Documents of one partition at one moment. */
function toGroup(keys: readonly KeyParts[]): Reading<readonly (Doc | null)[]> {
  const part = keys[0]?.part ?? "";
  return {
    name: keys.map(({ coll, id }) => `${coll}:${id}`).join(" ") + ` ${part}`,
    part,
    docs: keys.length,
    colls: keys.map(({ coll }) => coll),
    isKept: keys.length <= DOCS_KEPT_MAX,
    ask: (call, slots, known) => askDocs(call, part, keys, { slots, known }),
    open: (reply) => ({
      raws: toArray(reply),
      keys,
      needed: keys.length,
      decode: (raws) => keys.map(({ coll, id }, i) => toDoc(`${part}:${coll}:${id}`, raws[i])),
    }),
  };
}

function toPage(part: string, coll: string, options: PageOptions): Reading<Page> {
  const { limit, of, after = "", prefix = "" } = options;
  const target = of ?? coll;
  return {
    name: nameOf(part, coll, options),
    part,
    docs: limit,
    line: `${part}:${target}`,
    colls: [coll, target],
    isKept: limit <= PAGE_KEPT_MAX,
    ask(call, slots, known) {
      const own = call.own(part);
      const lowest = after !== "" && after >= prefix ? `(${after}` : prefix === "" ? "-" : `[${prefix}`;
      // Ids end below this character, so it bounds all that begin with the prefix.
      const highest = prefix === "" ? "+" : `(${prefix}\u007F`;
      return call.ask("page", [
        call.key(own.order(coll)),
        call.key(own.docs(target)),
        lowest,
        highest,
        limit,
        of === undefined ? "0" : "1",
        ...slots.flatMap((slot, i) => [slot, known[i] ?? ""]),
      ]);
    },
    open(reply) {
      const [more, ...lists] = toArray(reply);
      const ids = toArray(lists[0]).map(String);
      const keys = ids.map((id) => ({
        coll: target,
        id: of === undefined ? id : id.slice(id.lastIndexOf("~") + 1),
      }));
      return {
        raws: toArray(lists[1]),
        keys,
        needed: options.bytes === undefined ? ids.length : Math.min(ids.length, 1),
        decode(raws, isWhole) {
          const found = { ids: ids.slice(0, raws.length), keys, raws };
          return toItems(found, `${part}:${target}`, {
            // An index entry may point nowhere; a listed document must be there, unless it was removed meanwhile.
            isStrict: of === undefined && isWhole,
            isLast: more !== 1 && raws.length === ids.length,
          });
        },
      };
    },
  };
}

interface FoundPage {
  readonly ids: readonly string[];
  readonly keys: readonly Place[];
  readonly raws: readonly unknown[];
}

function toItems(
  { ids, keys, raws }: FoundPage,
  root: `${string}:${string}`,
  { isStrict, isLast }: { readonly isStrict: boolean; readonly isLast: boolean },
): Page {
  const items: Doc[] = [];
  for (const [i, id] of ids.entries()) {
    const doc = toDoc(`${root}:${keys[i]?.id}`, raws[i]);
    if (doc !== null) items.push(doc);
    else if (isStrict) throw corrupt(`${root}:${id} is listed but does not exist`);
  }
  const next = ids.at(-1);
  return isLast || next === undefined ? { items } : { items, next };
}

/** A document asked for, and its place in the answer. */
interface Wanted {
  readonly index: number;
  readonly key: KeyParts;
}

function groupByPart(keys: readonly KeyParts[]): Map<string, Wanted[]> {
  const groups = new Map<string, Wanted[]>();
  for (const [index, key] of keys.entries()) {
    const group = groups.get(key.part);
    if (group === undefined) groups.set(key.part, [{ index, key }]);
    else group.push({ index, key });
  }
  return groups;
}
