import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";

/** Where mail is handed over: `mail.smtp` of the configuration, which has either `url` or `host`. */
export interface SmtpConfig {
  readonly url?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** TLS from the first byte (port 465). Otherwise STARTTLS is used when offered. */
  readonly secure?: boolean | undefined;
  readonly user?: string | undefined;
  readonly pass?: string | undefined;
  /** Accept a certificate without a known issuer: only for a server of one's own. */
  readonly allowSelfSigned?: boolean | undefined;
}

interface Server {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
  readonly allowSelfSigned: boolean;
}

export interface SmtpConnection {
  readonly options: SMTPConnectionOptions;
  readonly auth: { user: string; pass: string } | null;
}

/** Configuration → connection options of nodemailer. Throws a TypeError on a URL that does not make sense. */
export function toConnectionOptions(
  config: SmtpConfig,
  waits: { readonly connectMs: number; readonly answerMs: number },
): SmtpConnection {
  const server = config.url === undefined ? fromFields(config) : fromUrl(config.url);
  const options: SMTPConnectionOptions = {
    host: server.host,
    port: server.port,
    secure: server.secure,
    // Credentials and mail to another machine travel encrypted, or not at all: opportunistic TLS would let anybody
    // on the way strip the offer of STARTTLS and read the password.
    requireTLS: !server.secure && server.auth !== null && !isLoopback(server.host),
    tls: { rejectUnauthorized: !server.allowSelfSigned },
    dnsTimeout: waits.connectMs,
    connectionTimeout: waits.connectMs,
    greetingTimeout: waits.connectMs,
    // Our own limits end a conversation; this one only backs them up.
    socketTimeout: waits.answerMs + 1_000,
    maxResponseSize: 65_536,
  };
  return { options, auth: server.auth };
}

function fromFields(config: SmtpConfig): Server {
  const secure = config.secure ?? config.port === 465;
  return {
    host: config.host ?? "localhost",
    port: config.port ?? (secure ? 465 : 587),
    secure,
    auth: toAuth(config.user ?? "", config.pass ?? ""),
    allowSelfSigned: config.allowSelfSigned ?? false,
  };
}

const URL_PARAMETERS = ["allowSelfSigned"];

/** `smtp://user:pass@host:587` or `smtps://…:465`, optionally with `?allowSelfSigned=true`. */
function fromUrl(text: string): Server {
  if (!URL.canParse(text))
    throw new TypeError(
      "mail.smtp.url is not a valid URL. Use a URL such as smtp://user:pass@mail.example:587.",
    );
  const url = new URL(text);
  const unknown = [...url.searchParams.keys()].find((name) => !URL_PARAMETERS.includes(name));
  if (unknown !== undefined) throw new TypeError(`mail.smtp.url has an unknown parameter "${unknown}".`);
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:") {
    throw new TypeError(`mail.smtp.url must start with smtp:// or smtps://, not ${url.protocol}//.`);
  }
  return fromFields({
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? undefined : Number(url.port),
    secure: url.protocol === "smtps:",
    user: decodeURIComponent(url.username),
    pass: decodeURIComponent(url.password),
    allowSelfSigned: url.searchParams.get("allowSelfSigned") === "true",
  });
}

const toAuth = (user: string, pass: string): Server["auth"] =>
  user === "" && pass === "" ? null : { user, pass };

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.[\d.]+$/.test(host);
