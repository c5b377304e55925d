import { once } from "node:events";

import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import type { Api } from "../command/api.ts";
import { CliError, EXIT, usageError } from "../terminal/exit.ts";
import { collect, flag, text, texts } from "../command/globals.ts";
import type { Send } from "../mcp/send.ts";
import type { Offer } from "../mcp/server.ts";

export const define: Define = (command, run) => {
  command
    .option("--namespace <name>", "one tool per route of this engine; comma-separated (repeatable)", collect)
    .option("--read-only", "only routes that read")
    .option("--http <address>", "serve streamable HTTP at /mcp of host:port instead of stdin and stdout")
    .action(run(serveAgents));
  examples(command, [
    "platform mcp",
    "platform mcp --namespace delivery,catering --read-only",
    "platform mcp --http 127.0.0.1:3333",
  ]);
};

/** Serves until stdin ends (stdio) or until a signal. Needs a running service. */
async function serveAgents(cli: Cli, { options }: Input): Promise<number> {
  const offer: Offer = { namespaces: await readNamespaces(options), readOnly: flag(options, "readOnly") };
  const { openRunningApi } = await import("../client/connect.ts");
  const api = await openRunningApi(cli);
  if (api === null) throw noServer();
  const address = text(options, "http");
  return address === undefined ? serveStdio(cli, api, offer) : serveHttp(cli, api, { offer, address });
}

async function serveStdio(cli: Cli, api: Api, offer: Offer): Promise<number> {
  const [{ createMcpServer, findLimits, openTools, KeyRefused }, { StdioServerTransport }] =
    await Promise.all([import("../mcp/server.ts"), import("@modelcontextprotocol/server/stdio")]);
  const send: Send = (request) => api.send({ ...request, as: "key" });
  const { scopes } = await findLimits(send).catch((error: unknown) => {
    throw error instanceof KeyRefused ? refused(error.status, error.message, api.label) : error;
  });
  if (scopes === null)
    cli.out.info("The key lacks account:read, so its scopes are unknown: all routes are offered.");
  const tools = await openTools(send, scopes, offer);
  const mcp = await createMcpServer(tools);
  const { stdin, stdout } = cli.io;
  await mcp.connect(new StdioServerTransport(stdin, stdout));
  cli.out.info(`${tools.length} tools for ${api.label}`);
  const ends = [once(stdin, "end"), once(stdin, "close")];
  await Promise.race([...ends, ...(cli.signal.aborted ? [] : [once(cli.signal, "abort")])]);
  await mcp.close();
  return EXIT.ok;
}

async function serveHttp(
  cli: Cli,
  api: Api,
  { offer, address }: { offer: Offer; address: string },
): Promise<number> {
  const { serveMcp } = await import("../mcp/http.ts");
  const store = cli.globals.store;
  const sendAs =
    (key: string, from: string): Send =>
    (request) =>
      api.send({
        ...request,
        as: "anonymous",
        headers: {
          ...request.headers,
          authorization: `Bearer ${key}`,
          "x-forwarded-for": from,
          ...(store === undefined ? {} : { "x-service-store": store }),
        },
      });
  const { url, server } = await serveMcp({ ...readAddress(address), offer, clock: cli.clock, sendAs });
  cli.out.info(`${url} for ${api.label}; each request needs its own key`);
  if (!cli.signal.aborted) await once(cli.signal, "abort");
  server.close();
  server.closeAllConnections();
  return EXIT.ok;
}

async function readNamespaces(options: Input["options"]): Promise<string[]> {
  const wanted = texts(options, "namespace").flatMap((names) => names.split(","));
  const { listEndpoints } = await import("../calls/endpoints.ts");
  const known = new Set(
    (await listEndpoints()).filter(({ auth }) => auth === "key").map((route) => route.namespace),
  );
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return wanted;
  throw usageError(`Unknown namespace ${JSON.stringify(unknown)}.`, [...known].join(", "));
}

function readAddress(address: string): { host: string; port: number } {
  const [, bracketed, plain, port = ""] = /^(?:\[([0-9a-f:]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw usageError(`--http ${JSON.stringify(address)} is not host:port.`, "--http 127.0.0.1:3333");
  }
  return { host, port: Number(port) };
}

const noServer = (): CliError =>
  new CliError({
    type: "unreachable",
    title: "No server",
    detail: "No server is running in this folder. MCP needs a running server.",
    exitCode: EXIT.unreachable,
    hint: "platform dev, or --url, or --profile",
  });

const refused = (status: number, detail: string, where: string): CliError =>
  new CliError({
    type: "unauthorized",
    title: "Key refused",
    detail,
    status,
    where,
    exitCode: status === 401 ? EXIT.unauthorized : EXIT.serverError,
    hint: "platform login, or PLATFORM_API_KEY=…",
  });
