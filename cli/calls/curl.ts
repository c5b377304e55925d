import type { Api } from "../command/api.ts";
import type { Request } from "./call-options.ts";
import { maskKey } from "../client/profiles.ts";

/** The request as a curl command for a POSIX shell; keys are masked unless `showSecrets`. */
export function toCurl(api: Api, request: Request, showSecrets: boolean): string {
  const { authorization, ...own } = api.headersFor(request.as);
  const key = authorization?.replace(/^Bearer /, "") ?? "";
  const bearer = key === "" ? [] : [`Authorization: Bearer ${showSecrets ? key : maskKey(key)}`];
  const headers = Object.entries({ ...own, ...request.headers })
    // curl sets the boundary of a form itself.
    .filter(([name]) => request.form === undefined || name !== "content-type")
    .map(([name, value]) => `${name}: ${value}`);
  const form = (request.form ?? []).flatMap(({ name, value, file }) => [
    ...(file === undefined ? ["--form-string"] : ["-F"]),
    quote(`${name}=${file === undefined ? value : `@${file.path}`}`),
  ]);
  const words = [
    "curl",
    ...(request.method === "GET" ? [] : request.method === "HEAD" ? ["--head"] : ["-X", request.method]),
    quote(api.url + request.path),
    ...[...bearer, ...headers].flatMap((header) => ["-H", quote(header)]),
    ...form,
    ...(typeof request.body === "string" ? ["--data-raw", quote(request.body)] : []),
  ];
  return words.join(" ");
}

/** One word for a POSIX shell. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
