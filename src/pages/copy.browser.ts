/** Makes copy buttons work. The checkout and the reference announce it in the paragraph `said`. */
const LABEL_MS = 2_000;

document.documentElement.classList.add("js");
addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>(".copy:not([data-said], [data-help])");
  if (button !== null) void copy(button);
});

async function copy(button: HTMLElement): Promise<void> {
  const text = button.dataset.copy ?? textBeside(button, button.parentElement!);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByCommand(text);
    button.focus();
  }
  const label = button.firstElementChild ?? button;
  const said = document.querySelector("p#said");
  const before = label.textContent;
  button.dataset.said = "1";
  button.style.minWidth = `${button.offsetWidth}px`;
  label.textContent = "Copied";
  if (said !== null) said.textContent = "Copied";
  setTimeout(() => {
    label.textContent = before;
    delete button.dataset.said;
    button.style.minWidth = "";
    if (said !== null) said.textContent = "";
  }, LABEL_MS);
}

/** The text of each `pre` beside the button, or of the element before it. */
function textBeside(button: HTMLElement, parent: HTMLElement): string {
  const sources: (Element | null)[] = [...parent.querySelectorAll("pre")];
  if (sources.length === 0) sources.push(button.previousElementSibling ?? parent.previousElementSibling);
  return sources.map((source) => source?.textContent).join("\n\n");
}

/** The clipboard API fails on insecure origins. */
function copyByCommand(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
