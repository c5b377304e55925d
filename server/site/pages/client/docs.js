// Runs before the renderer. Drawing every route at once takes seconds: a wide window gets one route beside the list of all, a
// phone, where that list would not be shown, all of them folded. The colours follow the reader's scheme.
const reference = document.querySelector("rapi-doc");
if (matchMedia("(max-width: 767px)").matches) reference.setAttribute("render-style", "view");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  const tokens = getComputedStyle(document.documentElement);
  const set = (attribute, token) => reference.setAttribute(attribute, tokens.getPropertyValue(`--${token}`));
  reference.setAttribute("theme", dark.matches ? "dark" : "light");
  set("bg-color", "ground");
  set("text-color", "ink");
  set("primary-color", "accent");
  set("nav-bg-color", "raised");
  set("nav-text-color", "ink");
  set("nav-hover-text-color", "accent");
  set("nav-accent-color", "accent");
};
follow();
dark.addEventListener("change", follow);

// The renderer has colours of its own, some of little contrast; these are the tokens of all pages.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`* {
  --red: var(--bad) !important; --green: var(--good) !important; --blue: var(--accent) !important; --pink: var(--violet) !important;
  --orange: var(--amber) !important; --yellow: var(--amber) !important; --light-fg: var(--soft) !important;
}`);

// It leaves fields without names and long examples out of reach of the keyboard: both are added as it draws them.
const complete = (root) => {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  for (const list of root.querySelectorAll("nav:not([aria-label])"))
    list.setAttribute("aria-label", list.parentElement?.closest("nav") ? "List of routes" : "Routes");
  for (const field of root.querySelectorAll(
    "input:not([aria-label]), textarea:not([aria-label]), select:not([aria-label])",
  ))
    field.setAttribute("aria-label", field.dataset.pname || field.placeholder || "Request body");
  for (const example of root.querySelectorAll("pre:not([tabindex])")) example.tabIndex = 0;
};
Element.prototype.attachShadow = new Proxy(Reflect.get(Element.prototype, "attachShadow"), {
  apply(attach, element, [options]) {
    const root = Reflect.apply(attach, element, [options]);
    new MutationObserver(() => complete(root)).observe(root, { childList: true, subtree: true });
    return root;
  },
});
