import type { Define } from "../command/command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Heading in the list of commands. */
  readonly group: string;
  /** Imported when this command is asked for: `--help` loads the argument parser and nothing else. */
  readonly load: () => Promise<{ readonly define: Define }>;
}

const SERVICE = "The service:";
const OPERATE = "Operating it:";
const CALL = "Calling it:";
const TOOLS = "This tool:";
export const ENGINES = "Engines (platform <engine> <resource> <verb>):";

/** THE list of commands, in the order of the help page. */
export const commands: readonly CommandEntry[] = [
  entry(SERVICE, "init", "write a configuration into a folder", () => import("../commands/init.ts")),
  entry(SERVICE, "dev", "serve here, with demo data and an inbox", () => import("../commands/dev.ts")),
  entry(SERVICE, "serve", "serve for real", () => import("../commands/serve.ts")),
  entry(SERVICE, "config", "show and check the configuration", () => import("../commands/config.ts")),
  entry(SERVICE, "doctor", "look for what is wrong", () => import("../commands/doctor.ts")),
  entry(
    SERVICE,
    "storage",
    "back up, restore, move, verify and mend the data",
    () => import("../commands/storage.ts"),
  ),
  entry(SERVICE, "jobs", "scheduled work", () => import("../commands/jobs.ts")),
  entry(SERVICE, "seed", "demo data", () => import("../commands/seed.ts")),
  entry(OPERATE, "admin", "log in to the console", () => import("../commands/admin.ts")),
  entry(OPERATE, "customers", "who signed up", () => import("../commands/customers.ts")),
  entry(OPERATE, "stores", "stores of customers", () => import("../commands/stores.ts")),
  entry(OPERATE, "keys", "API keys", () => import("../commands/keys.ts")),
  entry(OPERATE, "plans", "plans and who is on them", () => import("../commands/plans.ts")),
  entry(OPERATE, "limits", "rate limits, live", () => import("../commands/limits.ts")),
  entry(
    OPERATE,
    "logs",
    "what became of a request, and requests as they come",
    () => import("../commands/logs.ts"),
  ),
  entry(OPERATE, "mail", "mails: previews, outbox, links", () => import("../commands/mail.ts")),
  entry(OPERATE, "webhooks", "events sent to other systems", () => import("../commands/webhooks.ts")),
  entry(
    OPERATE,
    "privacy",
    "export or erase what is kept about a person",
    () => import("../commands/privacy.ts"),
  ),
  entry(OPERATE, "audit", "who changed what", () => import("../commands/audit.ts")),
  entry(CALL, "call", "call any route with your key", () => import("../commands/call.ts")),
  entry(CALL, "routes", "list the routes", () => import("../commands/routes.ts")),
  entry(CALL, "openapi", "the OpenAPI document", () => import("../commands/openapi.ts")),
  entry(CALL, "mcp", "serve the routes of your key to an agent", () => import("../commands/mcp.ts")),
  entry(CALL, "login", "save a key for a service", () => import("../commands/login.ts")),
  entry(CALL, "logout", "forget a saved key", () => import("../commands/logout.ts")),
  entry(CALL, "profiles", "services you have saved", () => import("../commands/profiles.ts")),
  engine("allergens", "Allergen data and matrices"),
  engine("menus", "Menus, categories and items"),
  engine("subscriptions", "Subscription contracts"),
  engine("delivery", "Delivery zones, slots and checks"),
  engine("catering", "Catering quotes"),
  engine("content", "Drafted content"),
  engine("cart", "Cart offers and bundles"),
  engine("reviews", "Reviews and moderation"),
  engine("forms", "Forms and submissions"),
  engine("answeros", "Answer-engine scores"),
  engine("tiers", "Behavioural loyalty tiers"),
  engine("account", "The customer's own account"),
  entry(TOOLS, "completion", "completion script for a shell", () => import("../commands/completion.ts")),
  entry(TOOLS, "help", "a page about a command or a topic", () => import("../commands/help.ts")),
];

function entry(group: string, name: string, summary: string, load: CommandEntry["load"]): CommandEntry {
  return { group, name, summary, load };
}

/** Sub-commands come from the registry. Name and summary stand here so that the first help page loads no engine. */
function engine(name: string, summary: string): CommandEntry {
  const load = async () => {
    const { defineResources } = await import("../calls/resource-commands.ts");
    return { define: defineResources(name) };
  };
  return entry(ENGINES, name, summary, load);
}
