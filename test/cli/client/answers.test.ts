import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { commandWords } from "../../../cli/calls/resource-commands.ts";
import { detailsOf, listEndpoints } from "../../../cli/calls/endpoints.ts";
import { makeKey } from "../../../server/core/key-format.ts";
import { createSystemRandom } from "../../../server/core/ids.ts";
import { ARGUMENTS, isOffline } from "../program/arguments.ts";
import { createSandbox } from "../run.ts";

/** What stands between a command and its service may do this to any answer. */
const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "a redirect": (response) =>
    void response
      .writeHead(301, { location: `${elsewhere}/moved`, "content-type": "text/html" })
      .end("<p>Moved"),
  "200 with HTML": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>"),
  "200 with nothing": (response) => void response.writeHead(200).end(),
  "200 with empty JSON": (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  "204": (response) => void response.writeHead(204).end(),
  "a body that is cut": (response) => {
    response.writeHead(200, { ...OURS, "content-length": "1000" });
    response.write('{"data":{"id":"x"},"meta":{"request_id":"req_x"');
    setTimeout(() => response.destroy(), 5);
  },
  "a body that never ends": (response) => {
    response.writeHead(200, OURS);
    response.write('{"data":');
  },
};
const OURS = { "content-type": "application/json", "x-request-id": "req_01J0000000000000000000000" };

const ids: Readonly<Record<string, string>> = {
  "<customer>": "cus_1",
  "<pending>": "cus_2",
  "<store>": "sto_1",
  "<key>": "key_1",
  "<mail>": "mail_1",
  // For which `tail` watches: a busy machine takes longer to read the answer.
  "50ms": "10s",
};
const KEY = makeKey("live", createSystemRandom());
const sandbox = createSandbox({
  PLATFORM_API_KEY: KEY,
  PLATFORM_ADMIN_TOKEN: "plat_admin_test",
  NODE_ENV: "production",
});

let elsewhere = "";
const seenElsewhere: string[] = [];
const servers: Server[] = [];

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

beforeAll(async () => {
  elsewhere = await listen((request, response) => {
    seenElsewhere.push(`${request.method} ${request.url}`);
    response.writeHead(200, OURS).end('{"data":{},"meta":{"request_id":"req_x"}}');
  });
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  sandbox.remove();
});

const operatorCommands = Object.entries(ARGUMENTS)
  .filter(([name]) => !isOffline(name))
  .map(([name, given]): [string, string[]] => [
    name,
    [
      ...name.split(" "),
      ...(given ?? []).filter((word) => word !== "--no-check").map((word) => ids[word] ?? word),
    ],
  ]);

/** A command of an engine for each of its routes. */
async function engineCommands(): Promise<[string, string[]][]> {
  const routes = (await listEndpoints()).filter(({ auth }) => auth === "key");
  return Promise.all(
    routes.map(async (route): Promise<[string, string[]]> => {
      const { example } = await detailsOf(route);
      const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => example.params[name] ?? "x1");
      const body = route.hasBody ? ["--input", "-"] : [];
      return [route.id, [route.namespace, ...commandWords(route), ...params, ...body]];
    }),
  );
}

describe.each(Object.entries(FAULTS))("an answer that is %s", (fault, respond) => {
  let url = "";
  beforeAll(async () => {
    url = await listen((request, response) => {
      request.resume();
      respond(response);
    });
  });

  const run = (argv: readonly string[]) =>
    sandbox.run([...argv, "--url", url, "--timeout", fault.includes("never") ? "100ms" : "10s"], {
      stdin: "{}",
    });

  it.each(operatorCommands)("fails %s", async (name, argv) => {
    const { code, stdout, stderr } = await run(argv);
    if (name === "doctor") {
      expect({ code, stdout }).toMatchObject({
        code: 11,
        stdout: expect.stringContaining("fail\tservice\t"),
      });
    } else {
      expect({ code, stdout, stderr }).toMatchObject({ code: 10, stdout: "" });
    }
    if (fault === "a redirect") expect(stdout + stderr).toContain(`${elsewhere}/moved`);
  });

  // All of them send and read in the same way: each fault meets every seventh.
  it("fails commands of the engines", async () => {
    const wrong: unknown[] = [];
    const faults = Object.keys(FAULTS);
    const commands = (await engineCommands()).filter(
      (_, index) => index % faults.length === faults.indexOf(fault),
    );
    expect(commands.length).toBeGreaterThan(70);
    for (let from = 0; from < commands.length; from += 40) {
      await Promise.all(
        commands.slice(from, from + 40).map(async ([id, argv]) => {
          const { code, stdout, stderr } = await run(argv);
          const isNamed = fault !== "a redirect" || stderr.includes(`${elsewhere}/moved`);
          if (code !== 10 || stdout !== "" || !isNamed) wrong.push({ id, code, stdout, stderr });
        }),
      );
    }
    expect(wrong).toEqual([]);
  });

  it("sends the key nowhere else", () => expect(seenElsewhere).toEqual([]));
});
