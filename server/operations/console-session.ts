import { z } from "zod";

import { toInstant } from "../lib/instant.ts";
import { defineCollection, timeOrder } from "../core/collection.ts";
import { fail } from "../lib/errors.ts";
import { equalSecrets, sha256Hex } from "../core/ids.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import type { Actor } from "../accounts/change.ts";
import type { AccountsDeps } from "../accounts/deps.ts";
import { runChange } from "../accounts/change.ts";
import { operators, PROCESS_OPERATOR } from "../accounts/operators.ts";
import type { Operator } from "../http/principal.ts";
import type { OperationsCtx } from "./context.ts";

/** A login link is good once, for half an hour; a session for a working day. */
const LINK_MS = 30 * 60_000;
const SESSION_MS = 12 * 3_600_000;
const COOKIE = "platform_console";

/** Both are known by the SHA-256 of their token, which is kept nowhere here. */
const Pass = z.strictObject({
  id: z.string(),
  kind: z.enum(["link", "session"]),
  expires_at: Instant,
  /** Name of the operator who created the link, and the id of one with a token of their own. */
  actor: z.string().optional(),
  operator_id: z.string().nullable().optional(),
  /** HTML of what the latest action did, until a page has shown it. */
  notice: z.string().optional(),
});
type Pass = z.output<typeof Pass>;

const passes = defineCollection({
  name: "platform.console_passes",
  unlisted: true,
  schema: Pass,
  indexes: { end: { values: () => [""], order: ({ expires_at }) => timeOrder(expires_at) } },
});

export interface Session extends Operator {
  /** Goes along with every form: a page elsewhere can send the cookie's owner here, and cannot know this. */
  readonly csrf: string;
}

/** Makes a login link for who holds an operator's token. */
export async function makeLink(
  deps: AccountsDeps,
  by: Actor,
): Promise<{ readonly token: string; readonly expires_at: string }> {
  const token = newToken(deps);
  const expires_at = toInstant(by.now + LINK_MS);
  await runChange(deps, by, async ({ tx, record }) => {
    await forgetOld(tx, by.now);
    const named = (await tx.peekAll(operators)).find(({ value }) => value.name === by.actor);
    const of = { actor: by.actor, operator_id: named?.id ?? null };
    tx.create(passes, { id: sha256Hex(token), kind: "link", expires_at, ...of });
    record({ action: "console.link", subject: "console", customer_id: null });
  });
  return { token, expires_at };
}

/** Turns a link into a session, once: its cookie, as `Set-Cookie` takes it. Throws 410 for one that is used or too old. */
export async function openSession(
  { deps, now, requestId, tx: session }: OperationsCtx,
  link: string,
): Promise<string> {
  const token = newToken(deps);
  const actor = (await findPass(session, link, "link", now))?.value.actor ?? PROCESS_OPERATOR;
  await runChange(deps, { actor, now, requestId }, async ({ tx, record }) => {
    const found = await findPass(tx, link, "link", now);
    if (found === null) {
      throw fail("gone", "This link was used or has expired. Run `platform admin link` to create a new one.");
    }
    tx.remove(passes, found);
    tx.create(passes, {
      ...found.value,
      id: sha256Hex(token),
      kind: "session",
      expires_at: toInstant(now + SESSION_MS),
    });
    record({ action: "console.login", subject: "console", customer_id: null });
  });
  return cookie(deps, token, SESSION_MS / 1000);
}

/** The session that a request's cookie names; null for none. */
export async function findSession(ctx: OperationsCtx): Promise<Session | null> {
  const token = tokenOf(ctx);
  const found = token === null ? null : await findPass(ctx.tx, token, "session", ctx.now);
  const operator = found === null ? null : await operatorOf(ctx.tx, found.value);
  if (token === null || operator === null) return null;
  return { csrf: ctx.ports.sign("console-csrf", token), ...operator };
}

/** Whether the operator behind a request, by token or session, is one now: an event stream goes on after its request. */
export async function isStillOperator(ctx: OperationsCtx): Promise<boolean> {
  const { deps, header } = ctx;
  const now = deps.clock.now();
  if (ctx.actor !== null)
    return (await deps.accounts.authenticateAdmin(header("authorization"), now)) !== null;
  return deps.runTx(PLATFORM_PART, async (tx) => (await findSession({ ...ctx, tx, now })) !== null);
}

/** Who has a session, in their present role; null once they were removed. */
async function operatorOf(tx: Tx, { actor, operator_id: id }: Pass): Promise<Operator | null> {
  if (id === undefined || id === null) return { actor: actor ?? PROCESS_OPERATOR, role: "owner" };
  const found = await tx.get(operators, id);
  return found === null ? null : { actor: found.value.name, role: found.value.role };
}

/** Stores what an action did for the next page, in a commit of its own: the action is not done again if that is lost. */
export async function leaveNotice(ctx: OperationsCtx, notice: string): Promise<void> {
  const token = tokenOf(ctx) ?? "";
  await ctx.deps.runTx(PLATFORM_PART, async (tx) => {
    const found = await findPass(tx, token, "session", ctx.now);
    if (found !== null) tx.put(passes, found, { ...found.value, notice });
  });
}

/** What an action left for the next page; it is shown once. */
export async function takeNotice(ctx: OperationsCtx): Promise<string | null> {
  const found = await findPass(ctx.tx, tokenOf(ctx) ?? "", "session", ctx.now);
  if (found?.value.notice === undefined) return null;
  const { notice, ...rest } = found.value;
  ctx.tx.put(passes, found, rest);
  return notice;
}

/** Ends a session; the cookie that takes the old one away. */
export async function endSession(ctx: OperationsCtx): Promise<string> {
  const token = tokenOf(ctx);
  const found = token === null ? null : await findPass(ctx.tx, token, "session", ctx.now);
  if (found !== null) ctx.tx.remove(passes, found);
  return cookie(ctx.deps, "", 0);
}

/** Whether a session may travel to this address: over https, or inside one machine. */
export function isSafeForSessions(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\]|.*\.test)$/.test(hostname);
}

export const isGenuine = (session: Session, csrf: string): boolean => equalSecrets(session.csrf, csrf);

async function findPass(tx: Tx, token: string, kind: Pass["kind"], now: number) {
  const found = await tx.get(passes, sha256Hex(token));
  if (found === null || found.value.kind !== kind || Date.parse(found.value.expires_at) <= now) return null;
  return found;
}

/** The creator of a link also sweeps: passes are few, and created by hand. */
async function forgetOld(tx: Tx, now: number): Promise<void> {
  const { items } = await tx.peekPage(passes, { index: "end", limit: 50 });
  for (const stored of items) if (Date.parse(stored.value.expires_at) <= now) tx.remove(passes, stored);
}

const newToken = ({ random }: AccountsDeps): string => Buffer.from(random.bytes(32)).toString("base64url");

const tokenOf = ({ header }: OperationsCtx): string | null =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`).exec(header("cookie") ?? "")?.[1] ?? null;

function cookie({ config }: AccountsDeps, value: string, seconds: number): string {
  const secure = config.baseUrl.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/_; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
