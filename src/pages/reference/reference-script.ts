import { COPY_SCRIPT } from "../page-shell.js";

/** Unfolds link targets, copies commands and filters sections. The page is complete without it. */
export const REFERENCE_SCRIPT = `${COPY_SCRIPT}
const byId = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 60rem)");
const hashTarget = () => byId(location.hash.slice(1));
const unfoldTo = (target) => {
  target?.closest("details")?.setAttribute("open", "");
  const section = target?.closest("section");
  section?.firstElementChild.setAttribute("open", "");
  return section;
};
// Runs before each part of the page is painted, so that nothing shifts.
const arrange = () => {
  document.querySelector("nav > details")?.toggleAttribute("open", wide.matches);
  unfoldTo(hashTarget());
};
const parsing = new MutationObserver(arrange);
parsing.observe(document, { childList: true, subtree: true });
addEventListener("DOMContentLoaded", () => {
  parsing.disconnect();
  arrange();
  const contents = document.querySelector("nav > details");
  const search = byId("search"), found = byId("found"), rest = byId("rest"), elsewhere = byId("elsewhere"), unfold = byId("unfold");
  const sections = [...document.querySelectorAll("main section")];

  const reveal = (target = hashTarget()) => {
    const section = unfoldTo(target);
    if (target?.closest("[hidden]")) { search.value = ""; filter(false); }
    // Shows the section's title too if both fit.
    const isNear = target && section && target.getBoundingClientRect().bottom - section.getBoundingClientRect().top < innerHeight - 48;
    (isNear ? section : target)?.scrollIntoView();
    mark(section ?? target?.closest(".group")?.firstElementChild);
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && contents.contains(link) && !wide.matches) contents.open = false;
    const opened = event.target.closest("section > details:not([open]) > summary")?.closest("section");
    if (opened) {
      history.replaceState(null, "", "#" + opened.id);
      mark(opened);
    }
    // A link to the current hash fires no hashchange.
    if (link?.hash && link.hash === location.hash) reveal();
  });
  unfold.addEventListener("click", () => {
    const isOpen = unfold.textContent === "Expand all";
    for (const section of sections) section.firstElementChild.open = isOpen;
    unfold.textContent = isOpen ? "Collapse all" : "Expand all";
  });

  // Prefers sections with all search words in the heading, then in descriptions and field names. A button adds sections that have the words elsewhere.
  const textOf = (section, parts) => [...section.querySelectorAll(parts)].map((part) => part.textContent).join(" ").toLowerCase();
  const linkTo = ({ id }) => document.querySelector('nav a[href="#' + id + '"]');
  const entries = sections.map((section) => {
    const name = textOf(section, ":scope > details > summary") + " " + (section.dataset.words ?? "");
    const texts = [name, name + " " + textOf(section, "dt code, details > p, .about > p, h4"), section.textContent.toLowerCase()];
    return { section, texts, link: linkTo(section).parentElement };
  });
  const wordsOf = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean), long = words.filter((word) => word.length > 2);
    return long.length > 0 ? long : words;
  };
  const highlight = (words, shown) => {
    const ranges = [];
    for (const { section } of shown)
      for (let nodes = document.createTreeWalker(section, NodeFilter.SHOW_TEXT), node; (node = nodes.nextNode()); ) {
        const text = node.data.toLowerCase();
        for (const word of words)
          for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
            ranges.push(new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length }));
      }
    CSS.highlights?.set("found", new Highlight(...ranges));
  };
  const filter = (withRest) => {
    const words = wordsOf(), isFiltered = words.length > 0;
    const matches = [0, 1, 2].map((index) => entries.filter(({ texts }) => words.every((word) => texts[index].includes(word))));
    const chosen = new Set(matches.find((some) => !withRest && some.length > 0) ?? matches[2]), left = matches[2].length - chosen.size;
    for (const fold of document.querySelectorAll("nav details details")) fold.open = isFiltered;
    for (const entry of entries) entry.section.hidden = entry.link.hidden = !chosen.has(entry);
    for (const group of document.querySelectorAll(".group, nav details > div"))
      group.hidden = isFiltered && !group.querySelector(":scope > section:not([hidden]), nav li:not([hidden])");
    document.querySelector(".intro").hidden = isFiltered;
    found.parentElement.hidden = !isFiltered;
    found.textContent = chosen.size === 0 ? "Nothing found" : chosen.size + " found" + (left > 0 ? "; " + left + " more mention it" : "");
    rest.textContent = left > 0 ? "Show " + left + " more" : "Clear";
    highlight(words, chosen);
    elsewhere.search = new URLSearchParams({ filter: search.value });
  };
  // Marks the revealed section until the page is scrolled, then the one being read, and keeps its entry in sight.
  let current, revealedAt;
  const mark = (revealed) => {
    if (revealed) revealedAt = scrollY;
    else if (scrollY === revealedAt) return;
    const read = revealed ?? entries.findLast(({ section }) => !section.hidden && section.getBoundingClientRect().top < 120)?.section;
    const next = read && linkTo(read);
    if (next === current) return;
    current?.removeAttribute("aria-current");
    next?.setAttribute("aria-current", "location");
    current = next;
    const nav = contents.parentElement;
    if (!next || !wide.matches) return;
    next.closest("details").open = true;
    nav.scrollTop = next.offsetTop - nav.clientHeight / 2;
  };
  // Examples taller than the window stick once their end is in sight.
  const sizes = new ResizeObserver((changes) => {
    for (const { target } of changes) target.style.top = Math.min(16, innerHeight - target.offsetHeight - 16) + "px";
  });
  for (const examples of document.querySelectorAll(".examples")) sizes.observe(examples);
  reveal();
  addEventListener("hashchange", () => reveal());
  addEventListener("scroll", () => mark(), { passive: true });
  // Clearing the filter returns to where it began, or to a section opened since.
  let began = { top: 0, hash: location.hash };
  const refilter = () => {
    if (found.parentElement.hidden) began = { top: scrollY, hash: location.hash };
    filter(false);
    if (search.value) scrollTo(0, 0);
    else if (location.hash === began.hash) scrollTo(began);
    else reveal();
  };
  search.addEventListener("input", refilter);
  rest.addEventListener("click", () => {
    if (rest.textContent !== "Clear") return filter(true);
    search.value = "";
    refilter();
  });
  search.value ||= new URLSearchParams(location.search).get("filter") ?? "";
  if (search.value) filter(false);
  search.addEventListener("keydown", (event) => {
    const hit = entries.find(({ section }) => !section.hidden);
    if (event.key !== "Enter" || !search.value || !hit) return;
    // The key would fold the focused section.
    event.preventDefault();
    if (!wide.matches) contents.open = false;
    history.pushState(null, "", "#" + hit.section.id);
    const hasWords = (text) => wordsOf().every((word) => text.toLowerCase().includes(word));
    const parts = hasWords(hit.section.querySelector("summary").textContent) ? [] : ["dt", "p, h4, tr, li", "pre"].flatMap((part) => [...hit.section.querySelectorAll(part)]);
    const match = parts.find((part) => hasWords(part.textContent));
    document.querySelector(".match")?.classList.remove("match");
    match?.classList.add("match");
    reveal(match);
    hit.section.querySelector("summary").focus({ preventScroll: true });
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    contents.open = true;
    search.focus();
  });
});
`;
