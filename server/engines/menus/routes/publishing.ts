import { createHash } from "node:crypto";

import { z } from "zod";

import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import { Instant, ListQuery, withVersion } from "../../../core/schema.ts";
import { giveWay } from "../../../lib/slices.ts";
import { menus, publications, versionId, versions, stageTree } from "../repository.ts";
import { canonicalPieces } from "../rules/canonical.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { publish, unpublish } from "../rules/publication.ts";
import { Menu } from "../schema.ts";
import { LintAnswer, LintFinding, Publication } from "../schema/versions.ts";
import type { MenuVersion } from "../schema/versions.ts";
import { record, saveMenu, settleMenu } from "./publication-log.ts";
import { lintDraft, readDraft } from "./read-draft.ts";
import { listUnder } from "../../../core/by-value.ts";
import { menuResource } from "./menus.ts";
import { refuseLongLive } from "./versions.ts";
import { newResource } from "../../../lib/new-resource.ts";

const MenuView = withVersion(Menu);
const MAX_FINDINGS = 1_000;

/** Result of publishing: the menu, and warnings for its owner. */
const Published = z.object({
  menu: Menu,
  menu_version: z.int().min(1),
  new_version: z.boolean().meta({ description: "False if nothing changed since the previous version" }),
  live_at: Instant,
  notes: z.array(z.string()),
  warnings: z.array(LintFinding),
});

const lintMenu = menuResource.action("lint", {
  scope: "read",
  summary: "Check the draft of a menu",
  description:
    "Errors block publishing: ids that do not exist, items without a price, groups that cannot be satisfied, " +
    "schedules that never open. Warnings report what is missing: alt texts of images, allergen declarations.",
  data: LintAnswer,
  async handle({ params }, ctx) {
    const menu = await ctx.tx.require(menus, params.id);
    const findings = await lintDraft(ctx, await readDraft(ctx.tx, menu.value));
    const errors = findings.filter(({ severity }) => severity === "error").length;
    return ok({
      publishable: errors === 0,
      errors,
      warnings: findings.length - errors,
      findings: findings.slice(0, MAX_FINDINGS),
    });
  },
});

const publishMenu = menuResource.action("publish", {
  summary: "Publish the draft of a menu, now or at a given time",
  description:
    "Stores an immutable version of everything in the menu. With at, the version is stored now and goes live exactly " +
    "at that time. A draft that is identical to the latest version does not create a new one.",
  body: z.strictObject({
    at: Instant.optional().meta({ description: "Must be in the future. Default: now" }),
  }),
  data: Published,
  errors: [
    conflictWhen("lint_errors", "The draft has errors; the response lists them"),
    conflictWhen("menu_archived", "The menu is archived"),
    conflictWhen(
      "menu_too_large",
      "The menu has more than 4 MB as one version, or more than 8 MB as a live menu",
    ),
  ],
  example: { body: {} },
  async handle({ params, body }, ctx) {
    const before = await ctx.tx.require(menus, params.id);
    const atMs = body.at === undefined ? ctx.now : fromInstant(body.at);
    if (atMs < ctx.now) throw invalidField(["at"], "`at` must be in the future.");
    if (before.value.status === "archived") {
      throw conflict("menu_archived", "The menu is archived. Set its status to draft first.");
    }
    const tree = await readDraft(ctx.tx, before.value);
    const findings = await lintDraft(ctx, tree);
    refuseErrors(findings);
    refuseLongLive(tree);
    const settled = settleMenu(ctx, before.value);
    const { version, isNew } = await takeVersion(ctx, settled, tree);
    const next = publish({ ...settled, latest_version: version }, version, { nowMs: ctx.now, atMs });
    const isLater = atMs > ctx.now;
    record(ctx, next.id, {
      action: isLater ? "scheduled" : "published",
      menu_version: version,
      at: toInstant(atMs),
    });
    saveMenu(ctx, before, next);
    return ok({
      menu: { ...next, updated_at: ctx.nowAt },
      menu_version: version,
      new_version: isNew,
      live_at: toInstant(atMs),
      notes: notesOn(settled, isLater),
      warnings: findings.slice(0, MAX_FINDINGS),
    });
  },
});

const rollbackMenu = menuResource.action("rollback", {
  summary: "Roll back a menu to an earlier version",
  description:
    "The version goes live unchanged. The draft does not change, and neither does a scheduled publication; the " +
    "response states which.",
  body: z.strictObject({ version: z.int().min(1) }),
  data: Published,
  errors: [conflictWhen("menu_archived", "The menu is archived")],
  example: { body: { version: 1 } },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.tx.require(menus, params.id);
    const { version } = body;
    if (version > before.value.latest_version)
      throw invalidField(["version"], "No version with this number in this menu.");
    if (before.value.status === "archived") {
      throw conflict("menu_archived", "The menu is archived. Set its status to draft first.");
    }
    const settled = settleMenu(ctx, before.value);
    const next = publish(settled, version, { nowMs: ctx.now, atMs: ctx.now });
    record(ctx, next.id, { action: "rolled_back", menu_version: version, at: ctx.nowAt });
    saveMenu(ctx, before, next);
    return ok({
      menu: { ...next, updated_at: ctx.nowAt },
      menu_version: version,
      new_version: false,
      live_at: ctx.nowAt,
      notes: notesOn(settled, false),
      warnings: [],
    });
  },
});

const unpublishMenu = menuResource.action("unpublish", {
  summary: "Unpublish a menu",
  description:
    "A scheduled version still goes live at its time; cancel it separately. Repeating it has no further effect.",
  data: MenuView,
  handle: async ({ params }, ctx) => {
    const before = await ctx.tx.require(menus, params.id);
    const settled = settleMenu(ctx, before.value);
    if (settled.published_version === null) return item(before);
    record(ctx, settled.id, { action: "unpublished", menu_version: null, at: ctx.nowAt });
    return item(saveMenu(ctx, before, unpublish(settled, ctx.now)));
  },
});

const cancelScheduled = defineRoute({
  id: "menus.menus.cancel-scheduled",
  method: "DELETE",
  path: "/:id/scheduled",
  status: 200,
  summary: "Cancel the scheduled publication of a menu",
  data: MenuView,
  errors: [conflictWhen("not_scheduled", "No publication is scheduled")],
  example: { params: { id: "mnu_01KDVDNA008888888888888889" } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(menus, params.id);
    const settled = settleMenu(ctx, before.value);
    if (settled.scheduled === null) {
      throw conflict("not_scheduled", "No publication is scheduled, or it has gone live.");
    }
    record(ctx, settled.id, { action: "cancelled", menu_version: settled.scheduled.version, at: ctx.nowAt });
    return item(saveMenu(ctx, before, { ...settled, scheduled: null }));
  },
});

const PublicationView = withVersion(Publication);
const listPublications = defineRoute({
  id: "menus.publications.list",
  method: "GET",
  path: "/:id/publications",
  summary: "List publications, schedulings, rollbacks and unpublications of a menu",
  query: ListQuery,
  data: z.array(PublicationView),
  example: {
    params: { id: "mnu_01KDVDNA008888888888888889" },
  },
  handle: listUnder(menus, publications, "menu"),
});

function refuseErrors(findings: readonly LintFinding[]): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  throw fail(
    "conflict",
    `The draft has ${errors.length} errors. Fix them; the menu's lint route returns all of them.`,
    {
      code: "lint_errors",
      errors: errors
        .slice(0, 20)
        .map(({ code, kind, id, detail }) => ({ detail: `${code}: ${kind} ${id}: ${detail}` })),
    },
  );
}

/** The version for a tree: a new one, or the latest if it is identical. */
async function takeVersion(
  ctx: Ctx,
  menu: Menu,
  tree: IndexedTree,
): Promise<{ readonly version: number; readonly isNew: boolean }> {
  const { hash, text } = await writeTree(ctx, tree);
  const latest = menu.latest_version;
  const before = latest === 0 ? null : await ctx.tx.get(versions, versionId(menu.id, latest));
  if (before?.value.hash === hash) return { version: latest, isNew: false };
  const n = latest + 1;
  const id = versionId(menu.id, n);
  const version: MenuVersion = {
    ...newResource(id, ctx.nowAt),
    menu_id: menu.id,
    n,
    by: ctx.caller,
    hash,
    categories: tree.categories.length,
    items: tree.items.length,
    modifiers: tree.modifiers.length,
    ...(await stageTree(ctx.tx, id, text)),
  };
  ctx.tx.create(versions, version);
  return { version: n, isNew: true };
}

/** The canonical text of a tree and its hash, as `hashTree` returns it, written with pauses. */
async function writeTree(
  { tx }: Pick<Ctx, "tx">,
  tree: IndexedTree,
): Promise<{ readonly text: string; readonly hash: string }> {
  const hash = createHash("sha256");
  const pieces: string[] = [];
  for (const piece of canonicalPieces(tree)) {
    await giveWay(tx.part);
    hash.update(piece);
    pieces.push(piece);
  }
  return { text: pieces.join(""), hash: hash.digest("hex") };
}

function notesOn({ scheduled }: Menu, isReplaced: boolean): string[] {
  if (scheduled === null) return [];
  const subject = `Version ${scheduled.version}, scheduled for ${scheduled.at},`;
  return [isReplaced ? `${subject} is replaced by this one.` : `${subject} still goes live at that time.`];
}

export const publishingRoutes = [
  lintMenu,
  publishMenu,
  rollbackMenu,
  unpublishMenu,
  cancelScheduled,
  listPublications,
];
