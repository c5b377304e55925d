/** The part of the embed script for steps, their review, and answers that are saved for later. */
export const STEPS = String.raw`
const make = (tag, properties, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const boxOf = (form, key) => form.querySelector('[data-field="' + key + '"]');

/** What the visitor chose, in the words of the form. */
function reviewed(form, field) {
  const box = boxOf(form, field.key);
  const controls = [...form.querySelectorAll('[name="' + field.key + '"]')];
  const [first] = controls;
  const labelOf = (control) => control.closest("label").textContent.trim();
  if (field.type === "address") return [...box.querySelectorAll("input")].map((c) => c.value.trim()).filter(Boolean).join(", ");
  if (!first) return "";
  if (first.type === "file") return [...first.files].map((file) => file.name).join(", ");
  if (first.localName === "select") return [...first.selectedOptions].filter((o) => o.value).map((o) => o.label.trim()).join(", ");
  if (first.type === "checkbox" && !field.options) return first.checked ? WORDS.yes : "";
  const typed = first.value.trim();
  const amount = Number(typed.replaceAll(",", ""));
  if (field.type === "currency" && typed && Number.isFinite(amount)) return new Intl.NumberFormat(WORDS.locale, { style: "currency", currency: field.currency || "GBP" }).format(amount);
  if (first.type === "date" && typed) return new Date(typed + "T12:00Z").toLocaleDateString(WORDS.locale, { dateStyle: "long", timeZone: "UTC" });
  if (first.type === "radio" || first.type === "checkbox") return controls.filter((c) => c.checked).map(labelOf).join(", ");
  return typed;
}

/** Shows one step at a time, then a review of all answers. Null for a form without steps. */
function walk(form, definition) {
  if (!definition.steps.length) return null;
  const sections = new Map([...form.querySelectorAll("[data-step]")].map((node) => [node.dataset.step, node]));
  const end = form.querySelector(".storefront-form-end");
  const send = form.querySelector("button[type=submit]");
  const label = make("span", {});
  const bar = make("progress", {});
  bar.setAttribute("aria-hidden", "true");
  const review = make("div", { className: "storefront-form-review" });
  const back = make("button", { type: "button", className: "quiet", textContent: WORDS.back });
  form.prepend(make("p", { className: "storefront-form-progress" }, label, bar));
  end.before(review);
  send.after(back);
  // The browser cannot check controls of steps that are not shown: each step is checked when it is left.
  form.noValidate = true;
  let current = 0;
  let isReviewed = false;
  const open = () => definition.steps.filter((step) => step.fields.some((key) => { const box = boxOf(form, key); return box && !box.hidden; }));
  const isReview = () => current >= open().length;
  const list = () => review.replaceChildren(
    make("h2", { tabIndex: -1, textContent: WORDS.review }),
    ...open().map((step, at) => {
      const change = make("button", { type: "button", className: "quiet", textContent: WORDS.change });
      change.setAttribute("aria-label", say("change_of", { title: step.title }));
      change.addEventListener("click", () => go(at));
      const rows = definition.fields
        .filter((f) => step.fields.includes(f.key) && boxOf(form, f.key) && !boxOf(form, f.key).hidden)
        .flatMap((f) => [make("dt", { textContent: f.label }), make("dd", { textContent: reviewed(form, f) || WORDS.no_answer })]);
      return make("section", {}, make("div", { className: "storefront-form-part" }, make("h3", { textContent: step.title }), change), make("dl", {}, ...rows));
    }),
  );
  function draw() {
    const steps = open();
    const shown = steps[current];
    for (const [key, node] of sections) node.hidden = !shown || shown.key !== key;
    review.hidden = end.hidden = Boolean(shown);
    if (!shown) isReviewed = true;
    if (!shown) list();
    back.hidden = current === 0;
    send.textContent = shown ? WORDS.next : WORDS.send;
    label.textContent = say("progress", { at: Math.min(current, steps.length) + 1, of: steps.length + 1 });
    bar.max = steps.length + 1;
    bar.value = Math.min(current, steps.length) + 1;
  }
  function go(at) {
    current = at;
    draw();
    (isReview() ? review : sections.get(open()[current].key)).querySelector("h2").focus();
  }
  back.addEventListener("click", () => go(Math.max(0, Math.min(current, open().length) - 1)));
  draw();
  return {
    isReview,
    draw,
    /** Shows the step of a fault. */
    to(faults) {
      const at = open().findIndex((step) => faults.some(({ pointer }) => step.fields.includes(pointer.split("/").pop())));
      if (at >= 0) go(at);
    },
    /** Checks the step and goes on; throws its faults. */
    async next() {
      const step = open()[current];
      const section = sections.get(step.key);
      for (const control of section.querySelectorAll("input, select, textarea")) if (!control.disabled && !control.reportValidity()) return;
      const answers = gather(form, definition);
      await uploads(form, definition, answers, step);
      const { errors } = await data(await call("POST", "/validations", { data: answers, step: step.key }));
      const faults = errors.filter(({ field }) => step.fields.includes(field)).map(({ field, message }) => ({ pointer: "#/data/" + field, detail: message }));
      if (faults.length) throw faults;
      clear(form);
      go(isReviewed ? open().length : current + 1);
    },
  };
}
const clear = (form) => show(form, []);

/** Fills saved answers in. */
function fill(form, definition, saved) {
  for (const field of definition.fields) {
    const value = saved[field.key];
    const controls = [...form.querySelectorAll('[name="' + field.key + '"]')];
    const [first] = controls;
    if (value === undefined || field.type === "file") continue;
    if (field.type === "address") {
      for (const part of Object.keys(value)) { const input = form.querySelector('[name="' + field.key + "." + part + '"]'); if (input) input.value = value[part]; }
    } else if (!first) continue;
    else if (first.localName === "select") { for (const option of first.options) option.selected = [].concat(value).includes(option.value); }
    else if (first.type === "radio" || (first.type === "checkbox" && field.options)) { for (const control of controls) control.checked = [].concat(value).includes(control.value); }
    else if (first.type === "checkbox") first.checked = value === true || value === "true";
    else if (field.type === "currency" && typeof value === "number") first.value = (value / 10 ** digitsOf(field)).toFixed(digitsOf(field));
    else first.value = String(value);
  }
}

/** Answers out of the address of the page; none may give a consent. */
function prefilled(definition, query) {
  const given = {};
  for (const field of definition.fields) {
    const isTyped = field.prefill_param && !["address", "consent", "file"].includes(field.type);
    if (isTyped && query.get(field.prefill_param)) given[field.key] = query.get(field.prefill_param);
  }
  return given;
}

// A link to saved answers has their id and token behind "#": browsers send neither to any server.
const MARK = "storefront-form=" + FORM + ".";
const savedAt = location.hash.indexOf(MARK);
let [savedId, savedToken] = savedAt < 0 ? [] : location.hash.slice(savedAt + MARK.length).split(".");

async function resume(form, definition, status) {
  if (!savedToken) return;
  const answer = await call("PATCH", "/submissions/" + encodeURIComponent(savedId), { resume_token: savedToken });
  const body = await json(answer);
  if (answer.ok && body.data.status === "partial") return fill(form, definition, body.data.data || {});
  savedId = savedToken = undefined;
  status.textContent = WORDS.link_text;
}

/** A button that stores the answers and shows the only link to them. */
function saving(form, definition, status) {
  if (!definition.settings.allow_partial) return;
  const button = make("button", { type: "button", className: "quiet", textContent: WORDS.save });
  form.append(button);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const answers = gather(form, definition);
      const all = Object.fromEntries(definition.fields.filter((f) => boxOf(form, f.key) && f.type !== "file").map((f) => [f.key, answers[f.key] ?? ""]));
      const answer = savedToken
        ? await call("PATCH", "/submissions/" + savedId, { resume_token: savedToken, data: all })
        : await call("POST", "/submissions", { data: answers, partial: true });
      const body = await json(answer);
      if (answer.status === 422 && body.error) throw body.error.errors || [];
      if (!answer.ok) throw refusal(answer, body);
      [savedId, savedToken] = [body.data.id, body.data.resume_token];
      const url = location.href.split("#")[0] + "#" + MARK + savedId + "." + savedToken;
      const until = new Date(performance.timeOrigin + performance.now() + 7 * 864e5).toLocaleDateString(WORDS.locale, { dateStyle: "long" });
      const hasFiles = definition.fields.some((f) => f.type === "file");
      status.replaceChildren(WORDS.saved + ". " + say("saved_text", { date: until }) + " " + (hasFiles ? WORDS.saved_files + " " : ""), make("a", { href: url, textContent: url }));
    } catch (problem) {
      const isFaults = Array.isArray(problem);
      status.textContent = isFaults ? WORDS.check_fields : problem.isShown ? problem.message : WORDS.offline;
      show(form, isFaults ? problem : []);
      if (!isFaults && !problem.isShown) console.error("storefront form " + FORM, problem);
    } finally {
      button.disabled = false;
    }
  });
}
`;
