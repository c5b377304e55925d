import type { Api, ApiRequest } from "../command/api.ts";
import { maskKey } from "../client/profiles.ts";

/** The request as a curl command for a POSIX shell; keys are masked unless `showSecrets`. */
export function toCurl(api: Api, request: ApiRequest, showSecrets: boolean): string {
  const { authorization, ...own } = api.headersFor(request.as);
  const key = authorization?.replace(/^Bearer /, "") ?? "";
  const bearer = key === "" ? [] : [`Authorization: Bearer ${showSecrets ? key : maskKey(key)}`];
  const headers = Object.entries({ ...own, ...request.headers }).map(([name, value]) => `${name}: ${value}`);
  const words = [
    "curl",
    ...(request.method === "GET" ? [] : request.method === "HEAD" ? ["--head"] : ["-X", request.method]),
    quote(api.url + request.path),
    ...[...bearer, ...headers].flatMap((header) => ["-H", quote(header)]),
    ...(request.body === undefined ? [] : ["--data-raw", quote(request.body)]),
  ];
  return words.join(" ");
}

/** One word for a POSIX shell. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
