import { STEPS } from "./embed-steps.ts";

/** The script that embeds a form in a page: no library, no cookie, no local storage. */
export const embedScript = (baseUrl: string, formId: string, words: EmbedWords): string =>
  `(() => {
"use strict";
const SOURCE = document.currentScript ? document.currentScript.src : "";
// The address by which the page reached the service, which may have several names.
const BASE = SOURCE.includes("/api/public/") ? SOURCE.split("/api/public/")[0] : ${quoted(baseUrl)};
const FORM = ${quoted(formId)};
const WORDS = ${JSON.stringify(words).replaceAll("<", "\\u003c")};
${SCRIPT}
${STEPS}
${START}
})();
`;

/** Messages of the catalogue (`form.…`) that the script shows. */
export const EMBED_WORDS = [
  "again",
  "back",
  "change",
  "change_of",
  "check_fields",
  "closed",
  "duplicate",
  "failed",
  "link_text",
  "next",
  "no_answer",
  "offline",
  "progress",
  "required",
  "review",
  "save",
  "saved",
  "saved_files",
  "saved_text",
  "send",
  "sending",
  "unavailable",
  "yes",
] as const;
export type EmbedWords = Readonly<Record<string, string>>;

/** A string literal that is safe inside an inline script. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("<", "\\u003c");

const SCRIPT = String.raw`
const script = document.currentScript;
const key = script && script.dataset.key;
const place = document.querySelector('[data-storefront-form="' + FORM + '"]') || document.createElement("div");
if (!place.isConnected && script) script.after(place);
const call = (method, path, body, more) => fetch(BASE + "/v1/forms/" + FORM + path, {
  method,
  headers: Object.assign({ authorization: "Bearer " + key }, body && !(body instanceof FormData) ? { "content-type": "application/json" } : {}, more),
  body: body && !(body instanceof FormData) ? JSON.stringify(body) : body,
});
// Errors with isShown are written for the visitor; all others go to the console.
const shownError = (text) => Object.assign(new Error(text), { isShown: true });
const KNOWN = { duplicate: WORDS.duplicate, form_closed: WORDS.closed, form_paused: WORDS.closed, form_not_open: WORDS.closed };
const refusal = (answer, body) => {
  const problem = body.error || {};
  if (answer.status === 429) return shownError(say("again", { seconds: answer.headers.get("retry-after") || 60 }));
  return shownError(KNOWN[problem.code] || (WORDS.locale.startsWith("en") && problem.detail) || WORDS.failed);
};
const say = (name, values) => WORDS[name].replace(/\{(\w+)\}/g, (whole, key) => key in values ? values[key] : whole);
const json = (answer) => answer.json().catch(() => ({}));
const data = async (answer) => {
  const body = await json(answer);
  if (answer.ok) return body.data;
  throw refusal(answer, body);
};
const note = (name, text) => Object.assign(document.createElement("p"), { className: name, textContent: text });

// The same rules as on the server: a comparison with an empty answer is false.
const isEmpty = (v) => v === undefined || v === null || v === "" || (Array.isArray(v) && v.length === 0);
const among = (a, w) => [].concat(a).some((one) => [].concat(w).includes(one));
const same = (a, w) => Array.isArray(a) && Array.isArray(w) ? a.length === w.length && a.every((x, i) => x === w[i]) : a === w;
const within = (a, w) => Array.isArray(a) ? a.includes(w) : typeof a === "string" && typeof w === "string" && a.toLowerCase().includes(w.toLowerCase());
const order = { gt: (a, w) => a > w, gte: (a, w) => a >= w, lt: (a, w) => a < w, lte: (a, w) => a <= w };
function holds(c, answers) {
  if (c.all) return c.all.every((x) => holds(x, answers));
  if (c.any) return c.any.some((x) => holds(x, answers));
  if (c.not) return !holds(c.not, answers);
  const a = answers[c.field], w = c.value;
  if (c.op === "empty") return isEmpty(a);
  if (c.op === "not_empty") return !isEmpty(a);
  if (isEmpty(a) || isEmpty(w)) return false;
  if (c.op === "eq") return same(a, w);
  if (c.op === "neq") return !same(a, w);
  if (c.op === "in") return among(a, w);
  if (c.op === "not_in") return !among(a, w);
  if (c.op === "contains") return within(a, w);
  return typeof a === typeof w && (typeof a === "number" || typeof a === "string") && order[c.op](a, w);
}

const digitsOf = (field) => new Intl.NumberFormat("en", { style: "currency", currency: field.currency || "GBP" }).resolvedOptions().maximumFractionDigits;
/** In minor units, as conditions have amounts; what is no amount stays as it is. */
const minorUnits = (text, digits) => {
  const amount = /^-?\d{1,12}(?:\.(\d+))?$/.exec(text);
  return amount && (amount[1] || "").length <= digits ? Math.round(Number(text) * 10 ** digits) : text;
};
const NUMBERS = ["number", "integer", "rating", "scale"];
const TICKS = ["boolean", "consent"];
function read(form, field) {
  const controls = [...form.querySelectorAll('[name="' + field.key + '"]')];
  if (field.type === "address") {
    const parts = {};
    for (const input of form.querySelectorAll('[name^="' + field.key + '."]')) if (input.value.trim()) parts[input.name.split(".")[1]] = input.value.trim();
    return Object.keys(parts).length ? parts : undefined;
  }
  const [first] = controls;
  if (!first) return undefined;
  if (field.type === "file") return [...first.files].map((file) => file.name);
  if (TICKS.includes(field.type) || (field.type === "checkbox" && !field.options)) return first.checked || undefined;
  if (field.type === "checkbox") return controls.filter((c) => c.checked).map((c) => c.value);
  if (field.type === "radio") return (controls.find((c) => c.checked) || {}).value;
  if (field.type === "multiselect") return [...first.selectedOptions].map((o) => o.value);
  const text = first.value.trim();
  if (field.type === "currency") return minorUnits(text, digitsOf(field));
  return text !== "" && NUMBERS.includes(field.type) && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Marks what a condition requires like what is always required. */
function mark(box, field, isRequired) {
  const isList = field.type === "checkbox" && field.options;
  for (const control of box.querySelectorAll("input, select, textarea")) control.required = isRequired && !isList && !control.name.endsWith(".line2");
  const label = box.querySelector("legend, label");
  const before = label.querySelector(".storefront-form-required");
  if (before && !isRequired) before.remove();
  if (before || !isRequired) return;
  const star = make("span", { className: "storefront-form-required", textContent: " *" });
  for (const [name, value] of isList ? [["role", "img"], ["aria-label", WORDS.required]] : [["aria-hidden", "true"]]) star.setAttribute(name, value);
  label.append(star);
}

/** Answers of visible fields, in order, without files; hides and disables the others. */
function gather(form, definition) {
  const answers = {}, known = {};
  for (const field of definition.fields) {
    const box = form.querySelector('[data-field="' + field.key + '"]');
    const step = definition.steps.find((s) => s.fields.includes(field.key));
    const isConditional = field.visible_when || (step && step.visible_when);
    const shown = (!step || !step.visible_when || holds(step.visible_when, known)) && (!field.visible_when || holds(field.visible_when, known));
    if (box) {
      box.hidden = !shown;
      for (const control of box.querySelectorAll("input, select, textarea")) control.disabled = !shown;
      if (field.required ? isConditional : field.required_when) mark(box, field, shown && (field.required || holds(field.required_when, known)));
    }
    const value = shown ? read(form, field) : undefined;
    if (isEmpty(value)) continue;
    known[field.key] = value;
    if (field.type !== "file") answers[field.key] = value;
  }
  return answers;
}

const hex = (buffer) => [...new Uint8Array(buffer)].map((b) => b.toString(16).padStart(2, "0")).join("");
async function solve() {
  const puzzle = await data(await call("POST", "/challenges"));
  const encoder = new TextEncoder();
  for (let number = 0; number <= puzzle.maxnumber; number += 1) {
    if (hex(await crypto.subtle.digest(puzzle.algorithm, encoder.encode(puzzle.salt + number))) !== puzzle.challenge) continue;
    return btoa(JSON.stringify({ algorithm: puzzle.algorithm, challenge: puzzle.challenge, number, salt: puzzle.salt, signature: puzzle.signature }));
  }
}
async function captchaOf(form, kind) {
  if (kind === "altcha") return solve();
  const named = { turnstile: "cf-turnstile-response", hcaptcha: "h-captcha-response" }[kind];
  const control = named && form.querySelector('[name="' + named + '"]');
  return control ? control.value : undefined;
}

function show(form, faults) {
  for (const old of form.querySelectorAll(".storefront-form-fault")) old.remove();
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    const rest = (control.getAttribute("aria-describedby") || "").split(" ").filter((id) => !id.endsWith("-fault")).join(" ");
    if (rest) control.setAttribute("aria-describedby", rest);
    else control.removeAttribute("aria-describedby");
  }
  let first;
  for (const { pointer, detail } of faults) {
    const name = pointer.split("/").pop();
    const box = form.querySelector('[data-field="' + name + '"]') || (form.querySelector('[name="consents"][value="' + name + '"]') || form).closest(".storefront-form-field");
    if (!box) continue;
    const fault = note("storefront-form-fault", detail);
    fault.id = form.id + "-" + name + "-fault";
    fault.setAttribute("role", "alert");
    box.append(fault);
    for (const control of box.querySelectorAll("input, select, textarea")) {
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", ((control.getAttribute("aria-describedby") || "") + " " + fault.id).trim());
      first = first || control;
    }
  }
  if (first) first.focus();
}

// Each file counts as five requests: four photos are more than a small plan lets one visitor send in a minute.
const sendFile = async (parts) => {
  const answer = await call("POST", "/uploads", parts);
  const seconds = Number(answer.headers.get("retry-after") || 61);
  if (answer.status !== 429 || seconds > 60) return answer;
  await new Promise((go) => setTimeout(go, seconds * 1000));
  return call("POST", "/uploads", parts);
};
// Files that were uploaded in an earlier step, or before a fault.
const uploaded = new WeakMap();
async function uploads(form, definition, answers, step) {
  for (const field of definition.fields.filter((f) => f.type === "file")) {
    const isElsewhere = step && !step.fields.includes(field.key);
    const input = form.querySelector('input[name="' + field.key + '"]');
    if (!input || input.disabled) continue;
    const ids = [];
    for (const file of input.files) {
      if (isElsewhere && !uploaded.has(file)) continue;
      if (!uploaded.has(file)) {
        const parts = new FormData();
        parts.append("field", field.key);
        parts.append("file", file);
        const answer = await sendFile(parts);
        const body = await json(answer);
        const listed = (body.error && body.error.errors || [])[0];
        if (!answer.ok) throw [{ pointer: "#/data/" + field.key, detail: listed ? listed.detail : answer.status === 413 ? body.error.detail : refusal(answer, body).message }];
        uploaded.set(file, body.data.id);
      }
      ids.push(uploaded.get(file));
    }
    if (ids.length) answers[field.key] = ids;
  }
}
`;

const START = String.raw`
async function start() {
  if (!key) throw new Error("The form script requires the attribute data-key, a publishable key.");
  const [definition, page, minted] = await Promise.all([
    call("GET", "/definition").then(data),
    call("GET", "/embed?format=html").then((a) => (a.ok ? a.text() : data(a))),
    call("POST", "/tokens").then(async (a) => (a.ok ? data(a) : null)),
  ]);
  // A policy of the page against inline styles does not apply to a constructed sheet.
  const [, style, markup] = /^<style>([^]*?)<\/style>([^]*)$/.exec(page);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  const root = place.getRootNode();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const form = document.adoptNode(new DOMParser().parseFromString(markup, "text/html").querySelector("form"));
  const status = form.querySelector(".storefront-form-status");
  if (!definition.open) {
    place.replaceChildren(note("storefront-form-closed", WORDS.closed));
    return;
  }
  const widget = { turnstile: ["cf-turnstile", "https://challenges.cloudflare.com/turnstile/v0/api.js"], hcaptcha: ["h-captcha", "https://js.hcaptcha.com/1/api.js"] }[definition.captcha.kind];
  if (widget && definition.captcha.site_key) {
    const box = document.createElement("div");
    box.className = widget[0];
    box.dataset.sitekey = definition.captcha.site_key;
    if (definition.captcha.action) box.dataset.action = definition.captcha.action;
    status.before(box);
    document.head.append(Object.assign(document.createElement("script"), { src: widget[1], async: true }));
  }
  const query = new URLSearchParams(location.search);
  fill(form, definition, prefilled(definition, query));
  let token = minted && minted.token;
  let sent = false;
  await resume(form, definition, status);
  place.replaceChildren(form);
  gather(form, definition);
  const steps = walk(form, definition);
  saving(form, definition, status);
  form.addEventListener("input", () => { gather(form, definition); if (steps) steps.draw(); });
  addEventListener("pagehide", () => {
    const fields = Object.keys(gather(form, definition));
    if (!sent && fields.length) void fetch(BASE + "/v1/forms/" + FORM + "/progress", { method: "POST", keepalive: true, headers: { authorization: "Bearer " + key, "content-type": "application/json" }, body: JSON.stringify({ fields }) }).catch(() => undefined);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const work = (async () => {
      const button = form.querySelector("button[type=submit]");
      button.disabled = true;
      // An agent fills in the whole form and sends it.
      const isStep = steps && !event.agentInvoked && !steps.isReview();
      status.textContent = isStep ? "" : WORDS.sending;
      try {
        if (isStep) return await steps.next();
        const answers = gather(form, definition);
        await uploads(form, definition, answers);
        const trap = form.querySelector('[name="' + definition.settings.honeypot_field + '"]');
        if (trap && trap.value) answers[definition.settings.honeypot_field] = trap.value;
        const utm = {};
        for (const name of ["source", "medium", "campaign", "term", "content"]) if (query.get("utm_" + name)) utm[name] = query.get("utm_" + name).slice(0, 200);
        const isSaved = Boolean(savedToken);
        const all = isSaved ? Object.fromEntries(definition.fields.filter((f) => boxOf(form, f.key)).map((f) => [f.key, answers[f.key] ?? ""])) : answers;
        const answer = await call(isSaved ? "PATCH" : "POST", "/submissions" + (isSaved ? "/" + savedId : ""), {
          ...(isSaved ? { resume_token: savedToken, complete: true } : {}),
          data: Object.assign(all, definition.settings.honeypot_field in answers ? { [definition.settings.honeypot_field]: answers[definition.settings.honeypot_field] } : {}),
          token: token || undefined,
          captcha: await captchaOf(form, definition.captcha.kind),
          consents: [...form.querySelectorAll('[name="consents"]:checked')].map((c) => c.value),
          locale: document.documentElement.lang || undefined,
          page_url: location.href.slice(0, 2000),
          referrer: document.referrer.slice(0, 2000) || undefined,
          utm,
          agent_invoked: event.agentInvoked === true || undefined,
        });
        const body = await json(answer);
        if (answer.status === 422 && body.error) throw body.error.errors || [];
        if (!answer.ok) throw refusal(answer, body);
        sent = true;
        if (body.data.redirect_url) location.assign(body.data.redirect_url);
        else {
          // Screen readers move to the message that replaces the form.
          const thanks = note("storefront-form-thanks", body.data.message);
          thanks.tabIndex = -1;
          form.replaceWith(thanks);
          thanks.focus();
        }
        return body.data.message;
      } catch (problem) {
        const isFaults = Array.isArray(problem);
        status.textContent = isFaults ? WORDS.check_fields : problem.isShown ? problem.message : WORDS.offline;
        if (isFaults && steps && !isStep) steps.to(problem);
        show(form, isFaults ? problem : []);
        if (!isFaults && !problem.isShown) console.error("storefront form " + FORM, problem);
        return status.textContent;
      } finally {
        button.disabled = false;
      }
    })();
    if (typeof event.respondWith === "function" && event.agentInvoked) event.respondWith(work);
  });
}
start().catch((problem) => {
  place.replaceChildren(note("storefront-form-closed", WORDS.unavailable));
  console.error("storefront form " + FORM, problem);
});
`;
