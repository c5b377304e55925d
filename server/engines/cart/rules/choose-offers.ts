import type { OfferClass } from "../schema/offer.ts";
import type { Applied, OfferTerms, Running } from "./apply-offer.ts";
import { applyOffer } from "./apply-offer.ts";
import { compareText, costOf } from "./lots.ts";

export type Refusal =
  | "no_saving"
  | "min_subtotal"
  | "min_spend_after_discounts"
  | "budget_used_up"
  | "better_combination"
  | "not_combinable"
  | "exclusive";

export interface Choice {
  readonly running: Running;
  readonly applied: readonly Applied[];
  readonly rejected: readonly { readonly offer_id: string; readonly reason: Refusal }[];
  readonly missing: readonly { readonly offer_id: string; readonly units: number }[];
  /** `search`: the lowest total of all sets that go together. `greedy`: in order, each where it goes together with those before. */
  readonly mode: "search" | "greedy";
  /** Sets that were looked at. */
  readonly looked: number;
}

export const CLASSES: readonly OfferClass[] = ["product", "bogo", "order", "shipping"];

/** Offers up to which all sets are looked at. */
const SEARCH_MAX = 12;
/** Lots times sets: what one evaluation may cost. */
const SEARCH_WORK = 400_000;

/** Sets of offers that are looked at for a cart of so many lots; 0 where there are too many of them. */
export const setsOf = (offers: number, lots: number): number =>
  offers <= SEARCH_MAX && lots * 2 ** offers <= SEARCH_WORK ? 2 ** offers : 0;

/**
 * Which offers apply. Classes go in order, each on what the one before left; inside a class by priority, then by what
 * an offer saves on what the class begins with, then by id. Few offers are tried in all sets for the lowest total (a tie
 * goes to fewer offers, then to the ids); many, or many lines, are taken greedily in the given order.
 */
export function chooseOffers(start: Running, offers: readonly OfferTerms[]): Choice {
  const isSmall = setsOf(offers.length, start.lots.length) > 0;
  const tree: Tree = { offers, all: isSmall, looked: 0, best: null };
  walk(tree, { running: start, applied: [], queue: [], classAt: 0 });
  const { running, applied } = tree.best ?? { running: start, applied: [] };
  return {
    running,
    applied,
    ...judgeOthers(start, { running, applied }, offers),
    mode: isSmall ? "search" : "greedy",
    looked: tree.looked,
  };
}

interface Leaf {
  readonly running: Running;
  readonly applied: readonly Applied[];
}

interface Tree {
  readonly offers: readonly OfferTerms[];
  readonly all: boolean;
  looked: number;
  best: Leaf | null;
}

interface Node extends Leaf {
  /** What is left of the current class, in order. */
  readonly queue: readonly OfferTerms[];
  readonly classAt: number;
}

/** Takes and leaves each offer in turn; sets that begin alike share the work of their beginning. */
function walk(tree: Tree, node: Node): void {
  const [offer, ...rest] = node.queue;
  if (offer === undefined) {
    const kind = CLASSES[node.classAt];
    if (kind === undefined) {
      tree.looked += 1;
      if (isBetter(node, tree.best)) tree.best = { running: node.running, applied: node.applied };
      return;
    }
    const queue = inOrder(
      node.running,
      tree.offers.filter((own) => own.class === kind),
    );
    walk(tree, { ...node, queue, classAt: node.classAt + 1 });
    return;
  }
  const taken = goTogether(offer, node.applied, tree.offers) ? applyOffer(node.running, offer) : null;
  if (taken !== null && "applied" in taken && costOf(taken.next.lots) >= leastOf(node, tree.offers)) {
    walk(tree, {
      ...node,
      running: taken.next,
      applied: [...node.applied, taken.applied],
      queue: rest,
    });
    if (!tree.all) return;
  }
  walk(tree, { ...node, queue: rest });
}

function inOrder(running: Running, offers: readonly OfferTerms[]): OfferTerms[] {
  const savings = new Map(
    offers.map((offer) => {
      const outcome = applyOffer(running, offer);
      return [offer.id, "applied" in outcome ? outcome.applied.saving : 0];
    }),
  );
  return [...offers].sort(
    (a, b) =>
      b.priority - a.priority ||
      (savings.get(b.id) ?? 0) - (savings.get(a.id) ?? 0) ||
      compareText(a.id, b.id),
  );
}

/** Two offers apply together when neither is exclusive and each lists the class of the other. */
export const areCompatible = (a: OfferTerms, b: OfferTerms): boolean =>
  !a.exclusive && !b.exclusive && a.combines_with.includes(b.class) && b.combines_with.includes(a.class);

function goTogether(offer: OfferTerms, applied: readonly Applied[], offers: readonly OfferTerms[]): boolean {
  const others = offers.filter(({ id }) => applied.some(({ offer_id: other }) => other === id));
  return others.every((other) => areCompatible(offer, other));
}

/** What the goods must come to for the offers that apply already: what is taken off after them counts as well. */
const leastOf = ({ applied }: Leaf, offers: readonly OfferTerms[]): number =>
  offers.reduce(
    (least, { id, min_spend_after_discounts: own }) =>
      own > least && applied.some(({ offer_id: other }) => other === id) ? own : least,
    0,
  );

const totalOf = ({ lots, shipping }: Running): number => costOf(lots) + shipping;
const idsOf = ({ applied }: Leaf): string =>
  applied
    .map(({ offer_id: id }) => id)
    .sort(compareText)
    .join(" ");

function isBetter(leaf: Leaf, best: Leaf | null): boolean {
  if (best === null) return true;
  const order =
    totalOf(leaf.running) - totalOf(best.running) ||
    leaf.applied.length - best.applied.length ||
    compareText(idsOf(leaf), idsOf(best));
  return order < 0;
}

/** Why the others do not apply: the reason for each, checked against the cart before and after. */
function judgeOthers(
  start: Running,
  leaf: Leaf,
  offers: readonly OfferTerms[],
): Pick<Choice, "rejected" | "missing"> {
  const applied = new Set(leaf.applied.map(({ offer_id: id }) => id));
  const chosen = offers.filter(({ id }) => applied.has(id));
  const rejected: Choice["rejected"][number][] = [];
  const missing: Choice["missing"][number][] = [];
  for (const offer of [...offers].sort((a, b) => compareText(a.id, b.id))) {
    const alone = applyOffer(start, offer);
    if (alone.missing > 0) missing.push({ offer_id: offer.id, units: alone.missing });
    if (applied.has(offer.id)) continue;
    rejected.push({
      offer_id: offer.id,
      reason: "reason" in alone ? alone.reason : refusalOf(leaf, offer, chosen),
    });
  }
  return { rejected, missing };
}

function refusalOf({ running }: Leaf, offer: OfferTerms, chosen: readonly OfferTerms[]): Refusal {
  if (chosen.some((other) => other.exclusive || offer.exclusive)) return "exclusive";
  if (chosen.some((other) => !areCompatible(offer, other))) return "not_combinable";
  const now = applyOffer(running, offer);
  return "reason" in now ? now.reason : "better_combination";
}
