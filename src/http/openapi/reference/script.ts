/**
 * The reference's only script, inline and allowed by its hash; the page is whole without it. It copies snippets,
 * filters by names, and folds the contents on a phone.
 */
export const SCRIPT = `
addEventListener("DOMContentLoaded", () => {
  const said = document.getElementById("said");
  const wide = matchMedia("(min-width: 60rem)");
  const contents = document.querySelector("nav > details");
  const search = document.getElementById("search");
  search.closest("[hidden]").hidden = false;
  if (!wide.matches) contents.open = false;
  // What a link leads to has moved with the contents.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try { await navigator.clipboard.writeText(source.textContent); } catch {
        getSelection().selectAllChildren(source);
        if (!document.execCommand("copy")) return;
      }
      said.textContent = "";
      button.textContent = said.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  const sections = [...document.querySelectorAll("main section[id]")].map((section) => ({
    section,
    text: [...section.querySelectorAll("h3, .route, dt code")].map((part) => part.textContent).join(" ").toLowerCase(),
    link: document.querySelector('nav a[href="#' + section.id + '"]')?.parentElement,
  }));
  const groups = [...document.querySelectorAll(".group")];
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const { section, text, link } of sections) {
      const isMeant = words.every((word) => text.includes(word));
      section.hidden = !isMeant;
      if (link) link.hidden = !isMeant;
      if (isMeant) count++;
    }
    for (const group of groups) group.hidden = !group.querySelector("section:not([hidden])");
    said.textContent = words.length ? count + " found" : "";
  });

  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) contents.open = false;
  });
});
`;
