import type { NamespaceLine } from "../../server/openapi/manifest.ts";
import type { Engine } from "../../server/core/engine.ts";
import type { Define } from "../command/command.ts";
import { listNamespaces, setEngines } from "../calls/endpoints.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Heading in the list of commands. */
  readonly group: string;
  /** Imported when the command is run: `--help` loads the argument parser only. */
  readonly load: () => Promise<{ readonly define: Define }>;
}

const SERVICE = "Service:";
const OPERATE = "Operations:";
const CALL = "API calls:";
const TOOLS = "CLI:";
export const ENGINES = "Engines (platform <engine> <resource> <verb>):";

const own: readonly CommandEntry[] = [
  entry(SERVICE, "init", "create a configuration in a folder", () => import("../commands/init.ts")),
  entry(
    SERVICE,
    "dev",
    "run a development server with demo data and an inbox",
    () => import("../commands/dev.ts"),
  ),
  entry(SERVICE, "serve", "run the production server", () => import("../commands/serve.ts")),
  entry(SERVICE, "config", "show and validate the configuration", () => import("../commands/config.ts")),
  entry(SERVICE, "doctor", "diagnose problems", () => import("../commands/doctor.ts")),
  entry(
    SERVICE,
    "storage",
    "back up, restore, migrate, verify and repair data",
    () => import("../commands/storage.ts"),
  ),
  entry(SERVICE, "jobs", "list and run scheduled jobs", () => import("../commands/jobs.ts")),
  entry(SERVICE, "seed", "create or remove demo data", () => import("../commands/seed.ts")),
  entry(OPERATE, "admin", "log in to the console", () => import("../commands/admin.ts")),
  entry(OPERATE, "customers", "manage customers", () => import("../commands/customers.ts")),
  entry(OPERATE, "stores", "manage stores of customers", () => import("../commands/stores.ts")),
  entry(OPERATE, "keys", "manage API keys", () => import("../commands/keys.ts")),
  entry(OPERATE, "plans", "list plans and assign customers to them", () => import("../commands/plans.ts")),
  entry(OPERATE, "limits", "show, reset and follow rate limits", () => import("../commands/limits.ts")),
  entry(OPERATE, "logs", "show and follow requests", () => import("../commands/logs.ts")),
  entry(OPERATE, "mail", "preview templates, inspect the outbox", () => import("../commands/mail.ts")),
  entry(
    OPERATE,
    "webhooks",
    "manage webhook endpoints of the operator",
    () => import("../commands/webhooks.ts"),
  ),
  entry(OPERATE, "privacy", "export or erase data about a person", () => import("../commands/privacy.ts")),
  entry(OPERATE, "audit", "list and verify the audit log", () => import("../commands/audit.ts")),
  entry(CALL, "call", "send a request to any route with your key", () => import("../commands/call.ts")),
  entry(CALL, "routes", "list the routes", () => import("../commands/routes.ts")),
  entry(CALL, "openapi", "print the OpenAPI document", () => import("../commands/openapi.ts")),
  entry(CALL, "mcp", "run an MCP server with the routes of your key", () => import("../commands/mcp.ts")),
  entry(
    CALL,
    "login",
    "save an API key or operator token in a profile",
    () => import("../commands/login.ts"),
  ),
  entry(CALL, "logout", "remove a saved key", () => import("../commands/logout.ts")),
  entry(CALL, "profiles", "manage saved services", () => import("../commands/profiles.ts")),
];

const tools: readonly CommandEntry[] = [
  entry(
    TOOLS,
    "completion",
    "print a completion script for a shell",
    () => import("../commands/completion.ts"),
  ),
  entry(TOOLS, "help", "show help for a command or a topic", () => import("../commands/help.ts")),
];

/** All commands, in the order of the help page; the engines are those of the registry and `added`, save where a name is taken. */
export async function listCommands(added: readonly Engine[] = []): Promise<readonly CommandEntry[]> {
  setEngines([]);
  const taken = new Set([...own, ...tools, ...(await listNamespaces())].map(({ name }) => name));
  setEngines(added.filter(({ name }) => !taken.has(name)));
  return [...own, ...(await listNamespaces()).map(engine), ...tools];
}

function entry(group: string, name: string, summary: string, load: CommandEntry["load"]): CommandEntry {
  return { group, name, summary, load };
}

/** Its sub-commands are its routes. */
function engine({ name, summary }: NamespaceLine): CommandEntry {
  const load = async () => {
    const { defineResources } = await import("../calls/resource-commands.ts");
    return { define: defineResources(name) };
  };
  return entry(ENGINES, name, summary, load);
}
