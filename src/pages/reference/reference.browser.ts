/** Unfolds link targets, copies commands and filters sections. The page is complete without it. */
import "../copy.browser.js";
import { find, findAll } from "../dom.browser.js";

const wide = matchMedia("(min-width: 60rem)");
const hashTarget = () => document.getElementById(location.hash.slice(1));
const isWithin = (section: HTMLElement, target: HTMLElement) =>
  target.getBoundingClientRect().bottom - section.getBoundingClientRect().top < innerHeight - 48;

function unfoldTo(target: HTMLElement | null): HTMLElement | undefined {
  target?.closest("details")?.setAttribute("open", "");
  const section = target?.closest("section");
  section?.firstElementChild?.setAttribute("open", "");
  return section ?? undefined;
}

/** Runs before each part of the page is painted, so that nothing shifts. */
function arrange(): void {
  find("nav > details")?.toggleAttribute("open", wide.matches);
  unfoldTo(hashTarget());
}
const parsing = new MutationObserver(arrange);
parsing.observe(document, { childList: true, subtree: true });

addEventListener("DOMContentLoaded", () => {
  parsing.disconnect();
  arrange();
  const contents = new Contents();
  const reveal = revealWith(contents);
  const filter = new Filter(contents, reveal);
  listenToClicks(contents, reveal);
  listenToKeys(contents, filter);
  // Examples taller than the window stick once their end is in sight.
  const sizes = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      const { offsetHeight, style } = target as HTMLElement;
      style.top = `${Math.min(16, innerHeight - offsetHeight - 16)}px`;
    }
  });
  for (const examples of findAll(".examples")) sizes.observe(examples);
  reveal();
  addEventListener("hashchange", () => reveal());
  addEventListener("scroll", () => contents.mark(), { passive: true });
  filter.start();
});

interface Entry {
  readonly section: HTMLElement;
  /** Heading; then also descriptions and names of fields; then everything. */
  readonly texts: readonly [string, string, string];
  readonly link: HTMLElement;
}

/** The list of contents, which marks the section being read. */
class Contents {
  readonly fold = find("nav > details") as HTMLDetailsElement;
  readonly entries: readonly Entry[] = findAll("main section").map((section) => {
    const textOf = (parts: string) =>
      findAll(parts, section)
        .map(({ textContent }) => textContent)
        .join(" ")
        .toLowerCase();
    const name = `${textOf(":scope > details > summary")} ${section.dataset.words ?? ""}`;
    const described = `${name} ${textOf("dt code, details > p, .about > p, h4")}`;
    const link = linkTo(section)!.parentElement!;
    return { section, texts: [name, described, section.textContent.toLowerCase()], link };
  });
  #current: HTMLElement | undefined;
  #revealedAt: number | undefined;

  /** Marks the revealed section until the page is scrolled, then the one being read, and keeps its entry in sight. */
  mark(revealed?: HTMLElement): void {
    if (revealed !== undefined) this.#revealedAt = scrollY;
    else if (scrollY === this.#revealedAt) return;
    const isAbove = ({ section }: Entry) => !section.hidden && section.getBoundingClientRect().top < 120;
    const read = revealed ?? this.entries.findLast(isAbove)?.section;
    const next = read && linkTo(read);
    if (next === this.#current) return;
    this.#current?.removeAttribute("aria-current");
    next?.setAttribute("aria-current", "location");
    this.#current = next;
    if (next === undefined || !wide.matches) return;
    const nav = this.fold.parentElement!;
    next.closest("details")!.open = true;
    nav.scrollTop = next.offsetTop - nav.clientHeight / 2;
  }
}

function linkTo({ id }: HTMLElement): HTMLElement | undefined {
  return find(`nav a[href="#${id}"]`) ?? undefined;
}

type Reveal = (target?: HTMLElement | null) => void;

function revealWith(contents: Contents): Reveal {
  return (target = hashTarget()) => {
    const section = unfoldTo(target);
    if (target?.closest("[hidden]")) find("#search")!.dispatchEvent(new CustomEvent("clear"));
    // Shows the section's title too if both fit.
    const isNear = target && section && isWithin(section, target);
    (isNear ? section : target)?.scrollIntoView();
    contents.mark(section ?? (target?.closest(".group")?.firstElementChild as HTMLElement | undefined));
  };
}

function listenToClicks(contents: Contents, reveal: Reveal): void {
  document.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    const link = target.closest("a");
    if (link !== null && contents.fold.contains(link) && !wide.matches) contents.fold.open = false;
    const opened = target.closest("section > details:not([open]) > summary")?.closest("section");
    if (opened) {
      history.replaceState(null, "", `#${opened.id}`);
      contents.mark(opened);
    }
    // A link to the current hash fires no hashchange.
    if (link?.hash && link.hash === location.hash) reveal();
  });
  const unfold = find("#unfold")!;
  unfold.addEventListener("click", () => {
    const isOpen = unfold.textContent === "Expand all";
    for (const { section } of contents.entries) section.firstElementChild!.toggleAttribute("open", isOpen);
    unfold.textContent = isOpen ? "Collapse all" : "Expand all";
  });
}

/**
 * Prefers sections with all search words in the heading, then in descriptions and field names. A button adds sections
 * that have the words elsewhere.
 */
class Filter {
  readonly search = find("#search") as HTMLInputElement;
  readonly #contents: Contents;
  readonly #reveal: Reveal;
  readonly #found = find("#found")!;
  readonly #rest = find("#rest")!;
  readonly #elsewhere = find("#elsewhere") as HTMLAnchorElement;
  /** Clearing the filter returns to where it began, or to a section opened since. */
  #began = { top: 0, hash: location.hash };

  constructor(contents: Contents, reveal: Reveal) {
    this.#contents = contents;
    this.#reveal = reveal;
  }

  start(): void {
    this.search.addEventListener("input", () => this.#refilter());
    this.search.addEventListener("clear", () => {
      this.search.value = "";
      this.#apply(false);
    });
    this.#rest.addEventListener("click", () => {
      if (this.#rest.textContent !== "Clear") return this.#apply(true);
      this.search.value = "";
      this.#refilter();
    });
    this.search.value ||= new URLSearchParams(location.search).get("filter") ?? "";
    if (this.search.value !== "") this.#apply(false);
  }

  words(): readonly string[] {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const long = words.filter(({ length }) => length > 2);
    return long.length > 0 ? long : words;
  }

  /** Opens the first match, at the part that has the words. */
  openFirst(): void {
    const hit = this.#contents.entries.find(({ section }) => !section.hidden);
    if (this.search.value === "" || hit === undefined) return;
    if (!wide.matches) this.#contents.fold.open = false;
    history.pushState(null, "", `#${hit.section.id}`);
    const hasWords = (part: Element) =>
      this.words().every((word) => part.textContent.toLowerCase().includes(word));
    const summary = find("summary", hit.section)!;
    const parts = hasWords(summary)
      ? []
      : ["dt", "p, h4, tr, li", "pre"].flatMap((query) => findAll(query, hit.section));
    const match = parts.find(hasWords);
    find(".match")?.classList.remove("match");
    match?.classList.add("match");
    this.#reveal(match ?? undefined);
    summary.focus({ preventScroll: true });
  }

  #refilter(): void {
    if (this.#found.parentElement!.hidden) this.#began = { top: scrollY, hash: location.hash };
    this.#apply(false);
    if (this.search.value !== "") scrollTo(0, 0);
    else if (location.hash === this.#began.hash) scrollTo(this.#began);
    else this.#reveal();
  }

  #apply(withRest: boolean): void {
    const words = this.words();
    const isFiltered = words.length > 0;
    const { entries } = this.#contents;
    const matches = ([0, 1, 2] as const).map((index) =>
      entries.filter(({ texts }) => words.every((word) => texts[index].includes(word))),
    );
    const all = matches[2]!;
    const chosen = new Set(matches.find((some) => !withRest && some.length > 0) ?? all);
    const left = all.length - chosen.size;
    for (const fold of findAll("nav details details")) fold.toggleAttribute("open", isFiltered);
    for (const entry of entries) entry.section.hidden = entry.link.hidden = !chosen.has(entry);
    for (const group of findAll(".group, nav details > div"))
      group.hidden = isFiltered && !find(":scope > section:not([hidden]), nav li:not([hidden])", group);
    find(".intro")!.hidden = isFiltered;
    this.#found.parentElement!.hidden = !isFiltered;
    const more = left > 0 ? `; ${left} more mention it` : "";
    this.#found.textContent = chosen.size === 0 ? "Nothing found" : `${chosen.size} found${more}`;
    this.#rest.textContent = left > 0 ? `Show ${left} more` : "Clear";
    highlight(words, chosen);
    this.#elsewhere.search = new URLSearchParams({ filter: this.search.value }).toString();
  }
}

function highlight(words: readonly string[], shown: ReadonlySet<Entry>): void {
  const ranges: StaticRange[] = [];
  for (const { section } of shown) {
    const nodes = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      const text = node.nodeValue!.toLowerCase();
      const [startContainer, endContainer] = [node, node];
      for (const word of words)
        for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
          const endOffset = at + word.length;
          ranges.push(new StaticRange({ startContainer, startOffset: at, endContainer, endOffset }));
        }
    }
  }
  if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...ranges));
}

function listenToKeys({ fold }: Contents, filter: Filter): void {
  filter.search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // The key would fold the focused section.
    event.preventDefault();
    filter.openFirst();
  });
  addEventListener("keydown", (event) => {
    const isTyping = (event.target as Element).closest("input") !== null;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    fold.open = true;
    filter.search.focus();
  });
}
