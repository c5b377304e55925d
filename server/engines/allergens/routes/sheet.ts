import { renderSVG } from "uqr";
import { z } from "zod";

import { readShop } from "../../../core/shop.ts";
import type { Face } from "../../../core/face.ts";
import { linkPage, onLink, unknownLink } from "../../../core/link-page.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { toInstant } from "../../../lib/instant.ts";
import { PAPER } from "../../../core/page.ts";
import { mapAll } from "../../../core/read-page.ts";
import { makeToken } from "../../../core/link-token.ts";
import type { Ports } from "../../../core/ports.ts";
import type { Reply } from "../../../core/reply.ts";
import { empty, ok } from "../../../core/reply.ts";
import { defineOpenRoute, defineRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { MODES } from "../data/modes.ts";
import { products, readSettings, sheetLinks } from "../repository.ts";
import type { SheetLink } from "../repository.ts";
import { fillSheetRow, sheetColumns } from "../rules/fill-sheet.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { languageOf } from "../rules/names.ts";
import { renderSheet, renderSheetRow } from "../rules/render-sheet.ts";
import { ModeId } from "../schema/ingredient.ts";
import { openStore } from "./read-products.ts";

const PURPOSE = "allergens.sheet";
const Link = z.object({
  url: z
    .string()
    .meta({ description: "Address of the sheet, for a QR code on the table or a link on the menu" }),
  qr_svg: z.string().meta({ description: "QR code of the address, an SVG image" }),
  title: z.string(),
  mode: ModeId,
});
const fields = {
  title: z.string().trim().min(1).max(120).default("Allergen information"),
  mode: ModeId.optional().meta({ description: "Default: the default mode of the settings" }),
};
const noLink = { type: "not_found", when: "The sheet has no public link" } as const;

const getLink = defineRoute({
  id: "allergens.sheet.get",
  method: "GET",
  path: "/sheet",
  summary: "Show the public link of the allergen sheet",
  data: Link,
  errors: [noLink],
  async handle(_input, { tx, ports }) {
    const stored = await tx.require(sheetLinks, "sheet");
    return ok(toLink(ports, tx.part, stored.value));
  },
});

const putLink = defineRoute({
  id: "allergens.sheet.publish",
  method: "PUT",
  path: "/sheet",
  summary: "Publish the allergen sheet under a new link",
  description:
    "A page for guests with all products and allergens, always as they are now, and ready to print: the digital format " +
    "with a printed alternative that California SB 68 requires, and the written information of the FSA's guidance. A link " +
    "that was published before no longer works.",
  body: z.strictObject(fields),
  data: Link,
  errors: [],
  example: { body: { title: "Allergen information" } },
  async handle({ body }, { tx, newId, ports }) {
    const settings = await readSettings(tx);
    const before = await tx.get(sheetLinks, "sheet");
    const value: SheetLink = {
      id: "sheet",
      link_id: newId("sht"),
      title: body.title,
      mode: body.mode ?? settings.default_mode,
    };
    return ok(toLink(ports, tx.part, tx.save(sheetLinks, before, value).value));
  },
});

const removeLink = defineRoute({
  id: "allergens.sheet.withdraw",
  method: "DELETE",
  path: "/sheet",
  summary: "Withdraw the public link of the allergen sheet",
  data: z.null(),
  errors: [noLink],
  async handle(_input, { tx }) {
    tx.remove(sheetLinks, await tx.require(sheetLinks, "sheet"));
    return empty();
  },
});

function toLink(
  ports: Pick<Ports, "baseUrl" | "sign">,
  part: string,
  { link_id: id, title, mode }: SheetLink,
) {
  const url = `${ports.baseUrl}/api/public/allergens/${makeToken(ports, PURPOSE, part, id)}`;
  return { url, qr_svg: renderSVG(url), title, mode };
}

const showSheet = defineOpenRoute({
  id: "public.allergens.sheet",
  method: "GET",
  path: "/allergens/:token",
  summary: "The allergen sheet of a shop, for guests",
  ...linkPage(PURPOSE),
  example: { params: { token: "c3RvXzAxLnNodF8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, PURPOSE, token, async (tx, { face, id, now, part }) => {
      const current = (await tx.get(sheetLinks, "sheet"))?.value;
      if (current?.link_id !== id) throw unknownLink();
      return sheetPage(tx, { face, now, link: toLink(ctx.ports, part, current) });
    }),
});

interface SheetPage {
  readonly face: Face;
  readonly now: number;
  readonly link: z.input<typeof Link>;
}

/** In the language in which the store names allergens: a page of two languages would be misread. */
async function sheetPage(tx: Tx, { face: visitors, link, now }: SheetPage): Promise<Reply<never>> {
  // In this order: a change that is no longer pending has reached the products by the time they are read.
  const { current, settings } = await openStore(tx);
  const { mode, title } = link;
  const locale = languageOf(MODES[mode], settings);
  const face = visitors.with({ locale });
  const columns = sheetColumns(mode, locale);
  const all = await mapAll(tx, products, {}, async (value) => {
    const read = await current(value);
    if (read === null) return null;
    const freshness = freshnessOf(read.product, now, read.state);
    const product = freshen(read.product, read.state.pending, settings.default_mode);
    const cells = fillSheetRow(product, freshness, { mode, locale, columns });
    return { title: product.title, isVerified: freshness.status === "verified", cells };
  });
  const filled = all.filter((row) => row !== null);
  filled.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
  const rows = await mapInSlices(filled, tx.part, (row) => renderSheetRow(face, row));
  const qr = `data:image/svg+xml;base64,${Buffer.from(link.qr_svg, "utf8").toString("base64")}`;
  const zone = (await readShop(tx))?.time_zone ?? null;
  const at = `${face.instant(toInstant(now), zone ?? "UTC")}${zone === null ? " UTC" : ""}`;
  return face.page({
    ...PAPER,
    title,
    lang: locale,
    body: renderSheet(face, { title, at, columns, rows, qr }),
  });
}

export const sheetRoutes = [getLink, putLink, removeLink];
export const sheetPages = [showSheet];
