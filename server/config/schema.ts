import { z } from "zod";
import { Ai } from "./ai.ts";
import { Plans } from "./plans.ts";
import { Backup } from "./backup.ts";
import { Files } from "./files.ts";
import { isRedisUrl, REDIS_ADDRESS, Storage } from "./storage.ts";
import {
  flag,
  integer,
  isAddressRange,
  isAddress,
  isBaseUrl,
  isHostAndPort,
  isHostOrRange,
  isMailbox,
  isOrigin,
  isSmtpUrl,
  listOf,
  text,
  textLike,
  token,
} from "./values.ts";

// `.meta()` on a field: `env` is its environment variable (`envAlias` a second, weaker one), `path` says that a
// relative value is resolved, `secret` that the value is never printed. It goes last, because wrapping drops it.

const Https = z
  .union(
    [
      flag(),
      z.strictObject({
        cert: text("expected a file path").meta({
          env: "PLATFORM_HTTPS_CERT",
          path: true,
          description: "File with the certificate chain (PEM).",
        }),
        key: text("expected a file path").meta({
          env: "PLATFORM_HTTPS_KEY",
          path: true,
          description: "File with the private key (PEM).",
        }),
      }),
    ],
    { error: "expected true, false or { cert, key }" },
  )
  .default(false)
  .meta({
    env: "PLATFORM_HTTPS",
    description: "HTTPS: `true` for a self-signed certificate, or cert and key.",
  });

const Server = z
  .strictObject({
    port: integer(0, 65_535).default(3000).meta({
      env: "PLATFORM_PORT",
      envAlias: "PORT",
      description: "Port to listen on; 0 selects a free port.",
    }),
    host: text()
      .default("127.0.0.1")
      .meta({ env: "PLATFORM_HOST", envAlias: "HOST", description: "Address to listen on." }),
    https: Https,
    trustedProxies: listOf(textLike("an IP address or a range such as 10.0.0.0/8", isAddressRange))
      .default([])
      .meta({
        env: "PLATFORM_TRUSTED_PROXIES",
        description: "Proxies whose X-Forwarded-For header is trusted.",
      }),
    requestTimeoutSeconds: integer(1, 3600).default(30).meta({
      env: "PLATFORM_REQUEST_TIMEOUT_SECONDS",
      description: "Timeout for receiving a complete request.",
    }),
    headersTimeoutSeconds: integer(1, 3600).default(10).meta({
      env: "PLATFORM_HEADERS_TIMEOUT_SECONDS",
      description: "Timeout for receiving the headers of a request.",
    }),
    keepAliveSeconds: integer(1, 3600).default(75).meta({
      env: "PLATFORM_KEEP_ALIVE_SECONDS",
      description: "Timeout of idle connections. Must be longer than the one of the proxy.",
    }),
    lameDuckSeconds: integer(0, 600).optional().meta({
      env: "PLATFORM_LAME_DUCK_SECONDS",
      description:
        "Time on shutdown during which /readyz returns 503 and requests are still served; idle connections are closed as long after it. Default: 5 behind trustedProxies, otherwise 0.",
    }),
    drainSeconds: integer(0, 600).default(10).meta({
      env: "PLATFORM_DRAIN_SECONDS",
      description: "Time that running requests have to complete on shutdown.",
    }),
  })
  .superRefine((server, ctx) => {
    if (server.headersTimeoutSeconds <= server.requestTimeoutSeconds) return;
    const message = `must not exceed server.requestTimeoutSeconds (${server.requestTimeoutSeconds})`;
    ctx.addIssue({ code: "custom", path: ["headersTimeoutSeconds"], message });
  })
  .prefault({});

const Smtp = z
  .strictObject({
    url: textLike("a URL such as smtp://user:pass@host:587", isSmtpUrl).optional().meta({
      env: "PLATFORM_SMTP_URL",
      secret: true,
      description: "Connection URL, instead of the settings below.",
    }),
    host: text().optional().meta({ env: "PLATFORM_SMTP_HOST", description: "Host name of the mail server." }),
    port: integer(1, 65_535).optional().meta({
      env: "PLATFORM_SMTP_PORT",
      description: "Port of the mail server. Default: 587, or 465 when `secure` is true.",
    }),
    user: text().optional().meta({ env: "PLATFORM_SMTP_USER", description: "User name." }),
    pass: text().optional().meta({ env: "PLATFORM_SMTP_PASS", secret: true, description: "Password." }),
    secure: flag().optional().meta({
      env: "PLATFORM_SMTP_SECURE",
      description: "Use TLS from the start of the connection; otherwise STARTTLS. Default: true on port 465.",
    }),
    allowSelfSigned: flag().optional().meta({
      env: "PLATFORM_SMTP_ALLOW_SELF_SIGNED",
      description: "Accept a certificate that cannot be verified. Default: false.",
    }),
  })
  .superRefine((smtp, ctx) => {
    if ((smtp.url === undefined) !== (smtp.host === undefined)) return;
    ctx.addIssue({ code: "custom", message: "set either url or host" });
  });

const Mail = z
  .strictObject({
    transport: z.enum(["dev", "console", "smtp", "nodemailer"]).default("dev").meta({
      env: "PLATFORM_MAIL_TRANSPORT",
      description:
        "`dev` stores mail for the inbox page, `console` prints it, `smtp` sends it. An object is a transport of nodemailer or its options (`nodemailer`).",
    }),
    from: textLike("a mail address such as Shop API <no-reply@shop.example>", isMailbox)
      .default("Storefront Platform <no-reply@localhost>")
      .meta({ env: "PLATFORM_MAIL_FROM", description: "Sender of every mail." }),
    templates: text("expected a folder path").optional().meta({
      env: "PLATFORM_MAIL_TEMPLATES",
      path: true,
      description: "Folder with a custom layout of mails, `mail.mjml`. Requires mjml.",
    }),
    smtp: Smtp.optional(),
  })
  .superRefine((mail, ctx) => {
    if (mail.transport !== "smtp" || mail.smtp !== undefined) return;
    const message = '"smtp" needs mail.smtp.url (PLATFORM_SMTP_URL) or mail.smtp.host (PLATFORM_SMTP_HOST)';
    ctx.addIssue({ code: "custom", path: ["transport"], message });
  })
  .prefault({});

const Signup = z
  .strictObject({
    perIpPerHour: integer(0, 1_000_000).default(20).meta({
      env: "PLATFORM_SIGNUP_PER_IP_PER_HOUR",
      description: "Signups per hour from one IP address; 0 is unlimited.",
    }),
    perAddressPerDay: integer(1, 1000).default(3).meta({
      env: "PLATFORM_SIGNUP_PER_ADDRESS_PER_DAY",
      description:
        "Verification mails per day to one mailbox, regardless of the spelling of its address; further ones are not sent.",
    }),
    verificationTtlHours: integer(1, 8760).default(24).meta({
      env: "PLATFORM_SIGNUP_VERIFICATION_TTL_HOURS",
      description: "Lifetime of a verification link.",
    }),
    purgePendingHours: integer(1, 8760).default(72).meta({
      env: "PLATFORM_SIGNUP_PURGE_PENDING_HOURS",
      description: "Unverified signups are deleted after this time.",
    }),
  })
  .superRefine((signup, ctx) => {
    if (signup.purgePendingHours >= signup.verificationTtlHours) return;
    const message = `must not be less than signup.verificationTtlHours (${signup.verificationTtlHours})`;
    ctx.addIssue({ code: "custom", path: ["purgePendingHours"], message });
  })
  .prefault({});

/** The whole configuration. The one list of settings: environment names, documentation and JSON schema come from it. */
export const ConfigSchema = z.strictObject({
  baseUrl: textLike("a URL such as https://api.shop.example", isBaseUrl).optional().meta({
    env: "PLATFORM_BASE_URL",
    description: "Public URL of the server; links start with it. Required outside `dev`.",
  }),
  server: Server,
  storage: Storage,
  files: Files,
  mail: Mail,
  plans: Plans.meta({ description: "Plans. Replaces the default list." }),
  cors: z
    .strictObject({
      origins: listOf(textLike('an origin such as https://shop.example, or "*"', isOrigin)).default([]).meta({
        env: "PLATFORM_CORS_ORIGINS",
        description: "Origins that may call the API from a browser.",
      }),
    })
    .prefault({}),
  signup: Signup,
  log: z
    .strictObject({
      level: z
        .enum(["silent", "error", "warn", "info", "debug"])
        .default("info")
        .meta({ env: "PLATFORM_LOG_LEVEL", description: "Minimum level of log lines." }),
      format: z
        .enum(["json", "pretty"])
        .default("json")
        .meta({ env: "PLATFORM_LOG_FORMAT", description: "Format of log lines. Default in `dev`: pretty." }),
    })
    .prefault({}),
  limits: z
    .strictObject({
      bodyBytes: integer(1024, 104_857_600)
        .default(1_048_576)
        .meta({ env: "PLATFORM_BODY_BYTES", description: "Largest request body." }),
      url: textLike(REDIS_ADDRESS, isRedisUrl).optional().meta({
        env: "PLATFORM_LIMITS_URL",
        secret: true,
        description:
          "Redis that counts rate limits for all nodes. Required for several nodes on S3; the driver redis counts in its own Redis.",
      }),
    })
    .prefault({}),
  requestLog: z
    .strictObject({
      store: z.enum(["errors", "all", "none"]).default("errors").meta({
        env: "PLATFORM_REQUEST_LOG",
        description: "Requests that are stored for `platform logs`: rejected and failed ones, all, or none.",
      }),
      days: integer(1, 365)
        .default(14)
        .meta({ env: "PLATFORM_REQUEST_LOG_DAYS", description: "Retention of stored requests." }),
      entries: integer(100, 1_000_000).default(20_000).meta({
        env: "PLATFORM_REQUEST_LOG_ENTRIES",
        description: "Maximum number of stored requests on all nodes; the oldest are deleted first.",
      }),
      memory: integer(100, 100_000).default(2000).meta({
        env: "PLATFORM_REQUEST_LOG_MEMORY",
        description:
          "Number of latest requests that each process keeps in memory, including successful ones.",
      }),
    })
    .prefault({}),
  observability: z
    .strictObject({
      metrics: flag()
        .default(false)
        .meta({ env: "PLATFORM_METRICS", description: "Serve Prometheus metrics at /metrics." }),
      metricsToken: token().optional().meta({
        env: "PLATFORM_METRICS_TOKEN",
        secret: true,
        description: "Token that grants access to /metrics only; the operator's token works too.",
      }),
      tracesUrl: textLike("a URL such as http://127.0.0.1:4318", isBaseUrl).optional().meta({
        env: "PLATFORM_TRACES_URL",
        envAlias: "OTEL_EXPORTER_OTLP_ENDPOINT",
        description: "URL of the OTLP collector that receives traces over HTTP. Default: no traces.",
      }),
      samplePercent: integer(0, 100).default(100).meta({
        env: "PLATFORM_TRACES_SAMPLE_PERCENT",
        description: "Fraction of requests that are traced.",
      }),
      serviceName: text().default("storefront-platform").meta({
        env: "PLATFORM_SERVICE_NAME",
        envAlias: "OTEL_SERVICE_NAME",
        description: "Name of this service in traces and metrics.",
      }),
    })
    .prefault({}),
  backup: Backup,
  admin: z
    .strictObject({
      token: token().optional().meta({
        env: "PLATFORM_ADMIN_TOKEN",
        secret: true,
        description: "Token of the operator API. Default: none.",
      }),
      email: textLike("a mail address such as ops@shop.example", isAddress).optional().meta({
        env: "PLATFORM_ADMIN_EMAIL",
        description: "Address of the operator, who receives a mail when a backup is overdue. Default: none.",
      }),
      ui: flag().default(true).meta({
        env: "PLATFORM_ADMIN_UI",
        description: "Serve the operator's console at /_.",
      }),
    })
    .prefault({}),
  ai: Ai,
  outgoing: z
    .strictObject({
      allow: listOf(textLike("a host, an IP address or a range such as 10.0.0.0/8", isHostOrRange))
        .default([])
        .meta({
          env: "PLATFORM_OUTGOING_ALLOW",
          description: "Non-public hosts and address ranges that outgoing requests and webhooks may reach.",
        }),
      clamd: textLike("host:port, such as 127.0.0.1:3310", isHostAndPort).optional().meta({
        env: "PLATFORM_CLAMD",
        description: "Virus scanner (clamd over TCP) that scans uploaded files. Default: none.",
      }),
    })
    .prefault({}),
  idempotencyTtlHours: integer(1, 720).default(24).meta({
    env: "PLATFORM_IDEMPOTENCY_TTL_HOURS",
    description: "Retention of the response to an Idempotency-Key.",
  }),
});

/**
 * The configuration after loading: complete, checked, secrets in place, file names absolute. `baseUrl` has no slash at
 * the end; where it is not set, the server's own address is used (`addressOf`).
 */
export type Config = z.output<typeof ConfigSchema>;

/** The configuration with the base URL settled: configured, or the address that was bound. */
export type PlatformConfig = Config & { readonly baseUrl: string };
