// A file of its own, so that the page can forbid scripts that stand inside of it.
const darkness = matchMedia("(prefers-color-scheme: dark)");
const showDarkness = () => document.documentElement.classList.toggle("dark-mode", darkness.matches);
darkness.addEventListener("change", showDarkness);
showDarkness();

SwaggerUIBundle({
  dom_id: "#docs",
  url: "openapi.json",
  // Unset, this would show what a public server says of the document.
  validatorUrl: null,
  // A key that is typed in is forgotten with the page.
  persistAuthorization: false,
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  plugins: [() => ({ fn: { opsFilter: searchOperations } })],
  onComplete: () => {
    const field = document.querySelector(".operation-filter-input");
    if (field) field.placeholder = "Search operations by any word";
  },
});
