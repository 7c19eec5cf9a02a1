/** How many of these steps call the app under test, those in lists within them too. */
export function appSteps(steps: unknown): number {
  if (!Array.isArray(steps)) return 0;
  return steps.reduce((sum: number, step: unknown) => {
    if (Array.isArray(step)) return sum + appSteps(step);
    if (typeof step !== "object" || step === null) return sum;
    const { steps: within, parallel } = step as { readonly steps?: unknown; readonly parallel?: unknown };
    return sum + ("app" in step || "reconcile" in step ? 1 : 0) + appSteps(within) + appSteps(parallel);
  }, 0);
}
