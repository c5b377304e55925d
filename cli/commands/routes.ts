import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { text } from "../command/globals.ts";
import { EXIT, usageError } from "../terminal/exit.ts";

export const define: Define = (command, run) => {
  command
    .argument("[namespace]", "an engine, account, admin or signup")
    .option("--scope <scope>", "that this scope allows")
    .option("--method <method>", "GET, POST, PATCH, PUT or DELETE")
    .option("--admin", "include the routes of the operator")
    .action(run(listRoutes));
  examples(command, ["platform routes delivery", "platform routes --scope delivery:read --json"]);
};

async function listRoutes(cli: Cli, { args: [name], options }: Input): Promise<number> {
  const { listEndpoints } = await import("../calls/endpoints.ts");
  const all = await listEndpoints();
  if (name !== undefined && !all.some(({ namespace }) => namespace === name)) {
    throw usageError(`Unknown namespace ${JSON.stringify(name)}.`, "platform routes");
  }
  const scope = text(options, "scope");
  const method = text(options, "method")?.toUpperCase();
  const rows = all
    .filter(({ namespace, auth }) =>
      name === undefined ? auth !== "admin" || options.admin === true : namespace === name,
    )
    .filter((route) => scope === undefined || route.scope === scope)
    .filter((route) => method === undefined || route.method === method)
    .map((route) => ({
      id: route.id,
      method: route.method,
      path: route.path,
      scope: route.scope ?? "",
      summary: route.summary,
    }));
  await cli.out.list(rows, [
    ["METHOD", "method"],
    ["PATH", "path"],
    ["SCOPE", "scope"],
    ["SUMMARY", "summary"],
  ]);
  return EXIT.ok;
}
