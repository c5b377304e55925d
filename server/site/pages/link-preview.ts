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
export function isLinkPreview(header: (name: string) => string | undefined): boolean {
  const isPrefetch = PREFETCH_HEADERS.some((name) => PREFETCH.test(header(name) ?? ""));
  return isPrefetch || PREVIEWERS.test(header("user-agent") ?? "");
}
