import { TRY_IT } from "./try-it.js";

/**
 * The reference's only script, inline and allowed by its hash; the page is whole without it. It unfolds what a link
 * leads to, copies and tries calls, filters, marks where the reader is, and folds the contents on a phone.
 */
export const SCRIPT = `
addEventListener("DOMContentLoaded", () => {
  const said = document.getElementById("said");
  const wide = matchMedia("(min-width: 60rem)");
  const contents = document.querySelector("nav > details");
  const search = document.getElementById("search");
  const sections = [...document.querySelectorAll("main section[id]")];
  search.closest("[hidden]").hidden = false;
  if (!wide.matches) contents.open = false;

  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const folded = target.querySelector(":scope > details");
    if (folded) folded.open = true;
    // What a link leads to has moved with the contents.
    target.scrollIntoView();
  };
  if (location.hash) reveal();
  addEventListener("hashchange", reveal);
  // A link to where the reader is already changes no address.
  document.addEventListener("click", (event) => {
    if (event.target.closest('a[href="' + location.hash + '"]')) reveal();
  });

  const unfold = document.getElementById("unfold");
  unfold.hidden = false;
  unfold.addEventListener("click", () => {
    const isOpen = unfold.textContent === "Unfold all";
    for (const section of sections) section.firstElementChild.open = isOpen;
    unfold.textContent = isOpen ? "Fold all" : "Unfold all";
  });

  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = [...button.parentElement.children].find((part) => part.checkVisibility());
      try { await navigator.clipboard.writeText(source.textContent); } catch {
        getSelection().selectAllChildren(source);
        if (!document.execCommand("copy")) return;
      }
      said.textContent = "";
      button.textContent = said.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // Names are looked at first; what only mentions the words in its fields is shown when that is asked for.
  const textOf = (section, parts) => [...section.querySelectorAll(parts)].map((part) => part.textContent).join(" ").toLowerCase();
  const entries = sections.map((section) => ({
    section,
    name: textOf(section, ":scope > details > summary"),
    fields: textOf(section, "dt code, :scope > details > p"),
    link: document.querySelector('nav a[href="#' + section.id + '"]')?.parentElement,
  }));
  const groups = [...document.querySelectorAll(".group")];
  const headings = [...document.querySelectorAll("nav .tag")].map((tag) => tag.parentElement);
  const found = document.getElementById("found"), rest = document.getElementById("rest");
  const intro = document.querySelector(".intro");
  const filter = (withRest) => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const inAll = (...texts) => words.every((word) => texts.some((text) => text.includes(word)));
    const named = entries.filter(({ name }) => inAll(name));
    const mentioned = entries.filter(({ name, fields }) => inAll(name, fields));
    const meant = new Set(withRest || named.length === 0 ? mentioned : named);
    for (const entry of entries) {
      entry.section.hidden = !meant.has(entry);
      if (entry.link) entry.link.hidden = !meant.has(entry);
    }
    for (const group of groups) group.hidden = !group.querySelector("section:not([hidden])");
    for (const heading of headings) heading.hidden = !heading.querySelector("li:not([hidden])");
    const isAsked = words.length > 0, left = mentioned.length - meant.size;
    intro.hidden = isAsked;
    found.parentElement.hidden = !isAsked;
    found.textContent = !isAsked ? "" : meant.size === 0 ? "Nothing found" : meant.size + " found" + (left > 0 ? "; " + left + " more mention it" : "");
    rest.hidden = !isAsked || left === 0;
  };
  search.addEventListener("input", () => { filter(false); scrollTo(0, 0); });
  rest.addEventListener("click", () => filter(true));
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    contents.open = true;
    search.focus();
  });

  let current;
  const seen = new Set();
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](target);
    const entry = entries.find(({ section }) => seen.has(section));
    if (!entry || entry.link === current) return;
    current?.firstElementChild.removeAttribute("aria-current");
    current = entry.link;
    current?.firstElementChild.setAttribute("aria-current", "true");
    const nav = contents.parentElement;
    if (current && wide.matches) nav.scrollTop += current.getBoundingClientRect().top - nav.getBoundingClientRect().top - nav.clientHeight / 2;
  }, { rootMargin: "0px 0px -60% 0px" });
  for (const section of sections) watch.observe(section);

  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) contents.open = false;
  });
${TRY_IT}});
`;
