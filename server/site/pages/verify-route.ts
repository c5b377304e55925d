import { z } from "zod";

import { conflictWhen, ERRORS, Problem } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import type { Reply } from "../../core/reply.ts";
import type { RouteDef } from "../../core/route.ts";
import { actorOf, runChange } from "../../accounts/change.ts";
import { defineOperationsRoute } from "../../operations/context.ts";
import type { OperationsCtx } from "../../operations/context.ts";
import { KeyView, toKeyView } from "../../accounts/keys/key-view.ts";
import { consumeLink, requireLink } from "../../accounts/verification-links.ts";
import type { Verified } from "../../accounts/verification-links.ts";
import { visitorWords } from "./signup.ts";
import { verifyConfirmPage, verifyDonePage, verifyFailedPage } from "./verify.ts";

const Query = z.object({
  token: z.string().max(200).meta({ description: "Token of the link in the mail. Can be used once" }),
});

const VerifiedView = z.object({
  customer_id: z.string(),
  status: z.literal("active"),
  api_key: z.string().meta({ description: "The API key. Shown only once: only its SHA-256 is stored." }),
  key: KeyView.pick({ id: true, status: true, tier: true, scopes: true, store: true, expires_at: true }),
});
type VerifiedView = z.output<typeof VerifiedView>;

const verifiedExample: VerifiedView = {
  customer_id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  status: "active",
  api_key: "plat_live_4fZq…x9Tk",
  key: {
    id: "key_01JD8Z5T9QK3M4N5P6R7S8T9V0",
    status: "ACTIVE",
    tier: "free",
    scopes: ["reviews:read", "reviews:write"],
    store: "demo-bakery",
    expires_at: null,
  },
};

const shared = {
  path: "/verify",
  query: Query,
  data: VerifiedView,
  sensitive: true,
  page: true,
  errors: [
    { type: "not_found", code: "link_unknown", when: "No link has this token." },
    {
      type: "gone",
      code: "link_used",
      when: "This link, or another link of the same customer, was already used.",
    },
    { type: "gone", code: "link_expired", when: "The link is older than 24 hours." },
    { type: "forbidden", when: "The customer is suspended." },
    conflictWhen("active_key_limit", "The limit of active keys of the plan has been reached."),
  ],
  example: { query: { token: "Zm9yLXByZXZpZXctb25seS1ub3QtYS1yZWFsLXRva2Vu" }, data: verifiedExample },
} satisfies Partial<RouteDef<OperationsCtx, undefined, typeof Query, undefined, typeof VerifiedView>>;

export const openLink = defineOperationsRoute({
  ...shared,
  id: "signup.verify.open",
  method: "GET",
  summary: "Verify the address with the link in the mail. Returns the API key once",
  description:
    "A browser (`Accept` names text/html), a prefetch and a known link preview or mail scanner are shown a page whose button sends the POST; HEAD looks only. So a mail scanner that opens links does not use them up. Any other GET verifies.",
  handle: ({ query }, ctx) =>
    underPage(ctx, async () => {
      const wantsPage = acceptsHtml(ctx) || isLinkPreview(ctx.header);
      if (ctx.method !== "HEAD" && !wantsPage) return consume(ctx, query.token);
      const link = await requireLink(ctx.tx, query.token, ctx.now);
      if (!wantsPage) return json(null);
      return verifyConfirmPage(visitorWords(ctx), {
        actionUrl: `?token=${query.token}`,
        storeIdentifier: link.store.identifier,
      });
    }),
});

export const confirmLink = defineOperationsRoute({
  ...shared,
  id: "signup.verify.confirm",
  method: "POST",
  status: 200,
  summary: "Verify the address. Returns the API key once",
  handle: ({ query }, ctx) => underPage(ctx, () => consume(ctx, query.token)),
});

/** In a transaction of its own: what a failure leaves must not be written, though a page about it is an answer. */
async function consume(ctx: OperationsCtx, token: string): Promise<Reply<never>> {
  const { deps, now } = ctx;
  const { verified, key } = await runChange(deps, actorOf(ctx), async (change) => {
    const verified = await consumeLink(change, token);
    return { verified, key: await toKeyView(deps, change.tx, verified.key, now) };
  });
  if (!acceptsHtml(ctx)) return json(toVerifiedView(verified, key));
  return verifyDonePage(visitorWords(ctx), {
    apiKey: verified.plaintext,
    baseUrl: ctx.baseUrl,
    storeIdentifier: key.store,
    requestsPerMinute: key.requests_per_minute,
  });
}

/** What a consumed link answers. */
const toVerifiedView = ({ customer, plaintext }: Verified, key: KeyView): VerifiedView => ({
  customer_id: customer.id,
  status: "active",
  api_key: plaintext,
  key: {
    id: key.id,
    status: key.status,
    tier: key.tier,
    scopes: key.scopes,
    store: key.store,
    expires_at: key.expires_at,
  },
});

/** Shows a browser an expected failure on a page, all others get a problem. */
async function underPage(ctx: OperationsCtx, work: () => Promise<Reply<never>>): Promise<Reply<never>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || !acceptsHtml(ctx)) throw error;
    return verifyFailedPage(visitorWords(ctx), { status: ERRORS[error.type].status, reason: error.detail });
  }
}

const acceptsHtml = (ctx: OperationsCtx): boolean => /\btext\/html\b/i.test(ctx.header("accept") ?? "");

/** The link must not reach other sites in a Referer header. */
const json = (body: VerifiedView | null): Reply<never> =>
  raw("application/json", body === null ? "" : JSON.stringify(body), {
    headers: { "Referrer-Policy": "no-referrer" },
  });

/** Headers by which a browser or a proxy says that the link was not followed by a person yet. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;
const PREFETCH = /prefetch|prerender|preview/i;

/**
 * User agents that open links in messages before their reader does: chats and mail programs that show a preview, and
 * scanners of mail. General HTTP clients (curl, fetch, Python, Go) are not among them: programs follow the link with those.
 * After the lists of isbot 5 and the vendors' documentation.
 */
const PREVIEWERS =
  /bot\b|bot[/;_ -]|crawl|spider|slurp|preview|facebookexternalhit|facebot|meta-external|whatsapp|telegram|skype|viber|snapchat|pinterest|vkshare|embedly|iframely|opengraph|unfurl|linkexpander|mattermost|google-?(?:safety|imageproxy|read-aloud|inspection)|feedfetcher|outlook|ms-?office|microsoft (?:office|outlook)|safelinks|bing|yahoomailproxy|barracuda|proofpoint|mimecast|trend ?micro|symantec|sophos|fortimail|fortiguard|forcepoint|cisco|ironport|zscaler|avanan|cloudmark|mailscanner|spamassassin|rspamd|urlscan|virustotal|phish|headless|puppeteer|playwright|phantomjs|lighthouse|scan(?:ner)?\b/i;

/** True for a request that looks at a link without its reader having followed it. */
function isLinkPreview(header: (name: string) => string | undefined): boolean {
  const isPrefetch = PREFETCH_HEADERS.some((name) => PREFETCH.test(header(name) ?? ""));
  return isPrefetch || PREVIEWERS.test(header("user-agent") ?? "");
}
