// Runs before the renderer. Drawing every route at once takes seconds: a wide window gets one route beside the list of all, a
// phone, where that list would not be shown, all of them folded. The colours follow the reader's scheme.
const reference = document.querySelector("rapi-doc");
if (matchMedia("(max-width: 767px)").matches) reference.setAttribute("render-style", "view");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  reference.setAttribute("theme", dark.matches ? "dark" : "light");
  reference.setAttribute("bg-color", dark.matches ? "#14191f" : "#ffffff");
  reference.setAttribute("text-color", dark.matches ? "#e6eaf0" : "#1c2430");
  reference.setAttribute("primary-color", dark.matches ? "#7db8f5" : "#0b5cad");
};
follow();
dark.addEventListener("change", follow);
