/** A crawler of an answer engine or of a search engine that feeds one. */
export interface Bot {
  /** Name in robots.txt. */
  readonly name: string;
  readonly vendor: string;
  /** `training` collects for models, `search` for an index, `user` fetches on behalf of a person. */
  readonly purpose: "training" | "search" | "user";
  /** Substring of its user agent; null for a token that exists only in robots.txt and is never sent. */
  readonly agent_token: string | null;
  /** Whether its operator states that it obeys robots.txt. */
  readonly obeys_robots: boolean;
  readonly source: string;
}

/** When the table was last compared with the operators' pages. */
export const BOTS_AS_OF = "2026-11-21";

const openai = "https://platform.openai.com/docs/bots";
const anthropic = "https://support.claude.com/en/articles/8896518";
const perplexity = "https://docs.perplexity.ai/guides/bots";
const google = "https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers";

/** Training, search and fetching on behalf of a person are separate: disallowing one does not affect the others. */
export const BOTS: readonly Bot[] = [
  {
    name: "GPTBot",
    vendor: "OpenAI",
    purpose: "training",
    agent_token: "GPTBot",
    obeys_robots: true,
    source: openai,
  },
  {
    name: "OAI-SearchBot",
    vendor: "OpenAI",
    purpose: "search",
    agent_token: "OAI-SearchBot",
    obeys_robots: true,
    source: openai,
  },
  {
    name: "ChatGPT-User",
    vendor: "OpenAI",
    purpose: "user",
    agent_token: "ChatGPT-User",
    obeys_robots: false,
    source: openai,
  },
  {
    name: "ClaudeBot",
    vendor: "Anthropic",
    purpose: "training",
    agent_token: "ClaudeBot",
    obeys_robots: true,
    source: anthropic,
  },
  {
    name: "Claude-SearchBot",
    vendor: "Anthropic",
    purpose: "search",
    agent_token: "Claude-SearchBot",
    obeys_robots: true,
    source: anthropic,
  },
  {
    name: "Claude-User",
    vendor: "Anthropic",
    purpose: "user",
    agent_token: "Claude-User",
    obeys_robots: true,
    source: anthropic,
  },
  {
    name: "PerplexityBot",
    vendor: "Perplexity",
    purpose: "search",
    agent_token: "PerplexityBot",
    obeys_robots: true,
    source: perplexity,
  },
  {
    name: "Perplexity-User",
    vendor: "Perplexity",
    purpose: "user",
    agent_token: "Perplexity-User",
    obeys_robots: false,
    source: perplexity,
  },
  {
    name: "Google-Extended",
    vendor: "Google",
    purpose: "training",
    agent_token: null,
    obeys_robots: true,
    source: google,
  },
  {
    name: "Googlebot",
    vendor: "Google",
    purpose: "search",
    agent_token: "Googlebot",
    obeys_robots: true,
    source: google,
  },
  {
    name: "Bingbot",
    vendor: "Microsoft",
    purpose: "search",
    agent_token: "bingbot",
    obeys_robots: true,
    source: "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
  },
  {
    name: "Applebot-Extended",
    vendor: "Apple",
    purpose: "training",
    agent_token: null,
    obeys_robots: true,
    source: "https://support.apple.com/en-us/119829",
  },
  {
    name: "Applebot",
    vendor: "Apple",
    purpose: "search",
    agent_token: "Applebot",
    obeys_robots: true,
    source: "https://support.apple.com/en-us/119829",
  },
  {
    name: "meta-externalagent",
    vendor: "Meta",
    purpose: "training",
    agent_token: "meta-externalagent",
    obeys_robots: true,
    source: "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers",
  },
  {
    name: "meta-externalfetcher",
    vendor: "Meta",
    purpose: "user",
    agent_token: "meta-externalfetcher",
    obeys_robots: false,
    source: "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers",
  },
  {
    name: "Amazonbot",
    vendor: "Amazon",
    purpose: "training",
    agent_token: "Amazonbot",
    obeys_robots: true,
    source: "https://developer.amazon.com/amazonbot",
  },
  {
    name: "CCBot",
    vendor: "Common Crawl",
    purpose: "training",
    agent_token: "CCBot",
    obeys_robots: true,
    source: "https://commoncrawl.org/ccbot",
  },
  {
    name: "Bytespider",
    vendor: "ByteDance",
    purpose: "training",
    agent_token: "Bytespider",
    obeys_robots: false,
    source: "https://darkvisitors.com/agents/bytespider",
  },
  {
    name: "DuckAssistBot",
    vendor: "DuckDuckGo",
    purpose: "search",
    agent_token: "DuckAssistBot",
    obeys_robots: true,
    source: "https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot",
  },
  {
    name: "MistralAI-User",
    vendor: "Mistral",
    purpose: "user",
    agent_token: "MistralAI-User",
    obeys_robots: true,
    source: "https://docs.mistral.ai/robots",
  },
];

/** The crawlers that must be allowed for a page to be found and quoted (check A3 of the score). */
export const ANSWER_BOTS = [
  "Googlebot",
  "Bingbot",
  "OAI-SearchBot",
  "PerplexityBot",
  "Claude-SearchBot",
] as const;
