import { z } from "zod";

import { MENU_LIMITS } from "../schema/limits.ts";
import type { MenuTree } from "../schema/tree.ts";
import { fromDeliverect, fromDeliverectMenu } from "./deliverect/from.ts";
import { DeliverectMenuPush } from "./deliverect/menu-push.ts";
import { DeliverectProducts } from "./deliverect/shape.ts";
import { DELIVERECT, toDeliverect } from "./deliverect/to.ts";
import { cutDepth, cutTexts } from "./cut-depth.ts";
import type { Draft, DraftOptions, DraftPrice } from "./draft.ts";
import { createLosses, joinLosses } from "./losses.ts";
import type { Loss } from "./losses.ts";
import { fromOtter } from "./otter/from.ts";
import { OtterMenus } from "./otter/shape.ts";
import { OTTER, toOtter } from "./otter/to.ts";
import { fromSquare } from "./square/from.ts";
import { SquareCatalog } from "./square/shape.ts";
import { SQUARE, toSquare } from "./square/to.ts";
import { fromToast } from "./toast/from.ts";
import { ToastMenus } from "./toast/shape.ts";
import { toToast } from "./toast/to.ts";
import { TOAST } from "./toast/export.ts";
import type { ExportOptions, Written } from "./tree-view.ts";
import { fromUber } from "./uber/from.ts";
import { UberMenus } from "./uber/shape.ts";
import { toUber } from "./uber/to.ts";
import { UBER } from "./uber/export.ts";

/** Systems supported for import and export; the names are also the codes of external_refs. */
export const FORMATS = [SQUARE, TOAST, DELIVERECT, UBER, OTTER] as const;
export const Format = z.enum(FORMATS);
export type Format = z.output<typeof Format>;
/** Two formats are of one system. */
export const ImportFormat = z.enum([...FORMATS, "deliverect_menu"]);
export const systemOf = (format: z.output<typeof ImportFormat>): Format =>
  format === "deliverect_menu" ? DELIVERECT : format;

/** Schemas of the documents. */
export const SHAPES = {
  square: SquareCatalog,
  toast: ToastMenus,
  deliverect: DeliverectProducts,
  deliverect_menu: DeliverectMenuPush,
  uber: UberMenus,
  otter: OtterMenus,
} as const satisfies Record<z.output<typeof ImportFormat>, z.ZodObject>;

/** A document with the name of its format. */
export type Document =
  | { readonly format: "square"; readonly data: SquareCatalog }
  | { readonly format: "toast"; readonly data: ToastMenus }
  | { readonly format: "deliverect"; readonly data: DeliverectProducts }
  | { readonly format: "deliverect_menu"; readonly data: DeliverectMenuPush }
  | { readonly format: "uber"; readonly data: UberMenus }
  | { readonly format: "otter"; readonly data: OtterMenus };

export interface Read {
  readonly draft: Draft;
  readonly losses: Loss[];
}

/**
 * Converts a document to our terms. Throws 422 for errors beyond its schema: references to unknown ids, two
 * currencies.
 */
export function readDocument(document: Document, options: DraftOptions): Read {
  const { draft, losses } = readAsWritten(document, options);
  const cuts = createLosses();
  const whole = cutDepth(cutTexts(draft, cuts), MENU_LIMITS.depth, cuts);
  const levels = whole.levels.map((level) => ({ ...level, prices: lastPrices(level.prices) }));
  return { draft: { ...whole, levels }, losses: joinLosses(losses, cuts.list()) };
}

/** The last price of each item and modifier, which replaces the others. */
const lastPrices = (prices: readonly DraftPrice[]): DraftPrice[] => [
  ...new Map(prices.map((price) => [`${price.kind} ${price.ref}`, price])).values(),
];

function readAsWritten(document: Document, options: DraftOptions): Read {
  switch (document.format) {
    case "square":
      return fromSquare(document.data, options);
    case "toast":
      return fromToast(document.data, options);
    case "deliverect":
      return fromDeliverect(document.data, options);
    case "deliverect_menu":
      return fromDeliverectMenu(document.data, options);
    case "uber":
      return fromUber(document.data, options);
    case "otter":
      return fromOtter(document.data, options);
  }
}

const WRITERS = {
  square: toSquare,
  toast: toToast,
  deliverect: toDeliverect,
  uber: toUber,
  otter: toOtter,
} as const;

/** A menu in the format of a system, and the losses of the conversion; written with pauses. */
export const writeDocument = (format: Format, tree: MenuTree, options: ExportOptions): Promise<Written> =>
  WRITERS[format](tree, options);
