/** Makes copy buttons work; what they did is announced in the element `said`. */
const LABEL_MS = 2_000;

document.documentElement.classList.add("js");
addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>(".copy");
  if (button !== null) void copy(button);
});

async function copy(button: HTMLElement): Promise<void> {
  const parent = button.parentElement!;
  const text = button.dataset.copy ?? textBeside(button, parent);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyByCommand(text, parent)) return;
  }
  const label = button.firstElementChild!;
  const said = document.getElementById("said")!;
  said.textContent = label.textContent = "Copied";
  setTimeout(() => {
    said.textContent = "";
    label.textContent = "Copy";
  }, LABEL_MS);
}

/** The text of each `pre` beside the button, or of the element before it. */
function textBeside(button: HTMLElement, parent: HTMLElement): string {
  const sources: (Element | null)[] = [...parent.querySelectorAll("pre")];
  if (sources.length === 0) sources.push(button.previousElementSibling ?? parent.previousElementSibling);
  return sources.map((source) => source?.textContent).join("\n\n");
}

/** The clipboard API fails on insecure origins. */
function copyByCommand(text: string, parent: HTMLElement): boolean {
  getSelection()?.selectAllChildren(parent);
  addEventListener(
    "copy",
    (copied) => {
      copied.preventDefault();
      copied.clipboardData?.setData("text/plain", text);
    },
    { once: true },
  );
  return document.execCommand("copy");
}
